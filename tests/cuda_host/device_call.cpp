#include "device_call.h"

#include <cstdio>

#include "controls.h"
#include "defined_bytes.h"
#include "matrix_count.h"
#include "memory_api.h"
#include "shared_wavefronts.h"
#include "streams.h"

namespace cuda_host {
namespace {

struct Health {
  cudaError_t lost = cudaSuccess;
  std::string report;
};

Health& health() {
  static Health health;
  return health;
}

bool& checks_by_default() {
  static bool checks = true;
  return checks;
}

thread_local cudaError_t last_error = cudaSuccess;
thread_local int chosen_device = 0;

}  // namespace

std::recursive_mutex& device_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

Machine& machine() {
  static Machine machine;
  return machine;
}

bool accesses_can_be_checked() {
  return CUDA_HOST_CHECKS_ACCESSES;
}

void leave_accesses_unchecked() {
  checks_by_default() = false;
  machine().check_accesses = false;
}

const std::string& last_fault() {
  return health().report;
}

void reset() {
  const std::lock_guard lock(device_mutex());
  health() = Health();
  machine() = Machine();
  machine().check_accesses = checks_by_default();
  last_error = cudaSuccess;
  chosen_device = 0;
  forget_streams();
  free_all_memory();
  forget_work_log();
  forget_graph_use();
  forget_wavefronts();
  forget_matrix_products();
  forget_unreported_writes();
}

cudaError_t note(cudaError_t status) {
  if (status != cudaSuccess && status != cudaErrorNotReady) last_error = status;
  return status;
}

cudaError_t refusal() {
  Machine& m = machine();
  if (m.driver_version / 1000 < CUDART_VERSION / 1000) return cudaErrorInsufficientDriver;
  if (m.devices == 0) return cudaErrorNoDevice;
  if (health().lost != cudaSuccess) return health().lost;
  if (m.calls_until_failure == 0) {
    lose_device(m.failure, "the test made the device fail");
    return m.failure;
  }
  if (m.calls_until_failure > 0) --m.calls_until_failure;
  return cudaSuccess;
}

void lose_device(cudaError_t status, const std::string& report) {
  health() = {status, report};
  std::fprintf(stderr, "cuda_host: %s\n", report.c_str());
}

bool is_device_lost() {
  return health().lost != cudaSuccess;
}

int current_device() {
  return chosen_device;
}

}  // namespace cuda_host

using cuda_host::device_call;

cudaError_t cudaGetLastError() {
  const cudaError_t status = cudaPeekAtLastError();
  cuda_host::last_error = cudaSuccess;
  return status;
}

cudaError_t cudaPeekAtLastError() {
  const std::lock_guard lock(cuda_host::device_mutex());
  const cudaError_t lost = cuda_host::health().lost;
  return lost != cudaSuccess ? lost : cuda_host::last_error;
}

cudaError_t cudaGetDevice(int* device) {
  return device_call([&] {
    *device = cuda_host::chosen_device;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return device_call([&] {
    if (device < 0 || device >= cuda_host::machine().devices) return cudaErrorInvalidDevice;
    cuda_host::chosen_device = device;
    return cudaSuccess;
  });
}
