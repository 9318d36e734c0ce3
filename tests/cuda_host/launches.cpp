// Launches of kernels, and their limits.

#include <cxxabi.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

#include "block_memory.h"
#include "controls.h"
#include "crash_report.h"
#include "device_api.h"
#include "device_call.h"
#include "interpreter.h"
#include "schedule.h"
#include "streams.h"

namespace cuda_host {
namespace {

/// Dynamic shared memory that each kernel was allowed, bytes.
std::unordered_map<const void*, int>& allowed_dynamic_bytes() {
  static std::unordered_map<const void*, int> allowed;
  return allowed;
}

std::unordered_set<const void*>& loaded_kernels() {
  static std::unordered_set<const void*> loaded;
  return loaded;
}

std::uint64_t& launch_count() {
  static std::uint64_t count = 0;
  return count;
}

/// "(Params)" for a kernel that takes Params, because a function's name cannot be derived from its
/// address.
std::string kernel_name(const std::type_info& type) {
  int status = 0;
  char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string text = name == nullptr ? type.name() : name;
  std::free(name);
  const std::string head = "void (*)";
  return text.starts_with(head) ? text.substr(head.size()) : text;
}

cudaError_t refuse(const std::string& name, const char* why, cudaError_t status) {
  std::fprintf(stderr, "cuda_host: launch of kernel %s refused: %s\n", name.c_str(), why);
  return status;
}

cudaError_t check_shape(const cudaLaunchConfig_t& config, const void* kernel,
                        const std::string& name) {
  const dim3 grid = config.gridDim, block = config.blockDim;
  if (grid.y * grid.z * block.y * block.z != 1) {
    return refuse(name, "grid and block must have one dimension", cudaErrorInvalidConfiguration);
  }
  if (grid.x == 0 || grid.x > 0x7fffffffu) {
    return refuse(name, "not so many blocks", cudaErrorInvalidConfiguration);
  }
  if (block.x == 0 || block.x > kMaxThreads || block.x % 32 != 0) {
    return refuse(name, "the threads of a block must be whole warps, up to 1024",
                  cudaErrorInvalidConfiguration);
  }
  const auto allowed = allowed_dynamic_bytes().find(kernel);
  const std::size_t limit =
      allowed == allowed_dynamic_bytes().end()
          ? kStaticShared_bytes
          : std::max<std::size_t>(kStaticShared_bytes, static_cast<std::size_t>(allowed->second));
  if (config.dynamicSmemBytes > limit) {
    return refuse(name, "more dynamic shared memory than cudaFuncSetAttribute() allowed",
                  cudaErrorInvalidValue);
  }
  if (config.numAttrs != 0) {
    return refuse(name, "launch attributes are not supported", cudaErrorNotSupported);
  }
  return cudaSuccess;
}

/// With the machine's settings at the time of the run.
void run_on_machine(KernelRun run) {
  const std::uint64_t seed = machine().schedule_seed;
  run.seed = seed == 0 ? 0 : seed + ++launch_count();
  run.blocks_in_flight = machine().blocks_in_flight;
  run.flush_to_zero = machine().flush_to_zero;
  run.check_accesses = machine().check_accesses;
  run.counts_wavefronts = machine().counts_wavefronts;
  run.shared_limit_bytes = shared_per_block_optin_bytes();
  const std::string report = run_kernel(run);
  if (!report.empty()) lose_device(cudaErrorLaunchFailure, report);
}

}  // namespace

cudaError_t launch(const cudaLaunchConfig_t& config, const KernelCall& call) {
  KernelRun run;
  run.call = std::shared_ptr<const void>(call.memory, call.destroy);
  run.call_bytes = call.bytes;
  run.thread = call.run;
  run.name = kernel_name(*call.type);
  run.blocks = config.gridDim.x;
  run.threads = config.blockDim.x;
  run.dynamic_bytes = config.dynamicSmemBytes;
  return device_call([&] {
    if (machine().kernel_code != cudaSuccess) return machine().kernel_code;
    const cudaError_t status = check_shape(config, call.kernel, run.name);
    if (status != cudaSuccess) return status;
    if (!takes_launches(config.stream)) {
      return refuse(run.name, "the stream is of another device than the calling thread's",
                    cudaErrorInvalidResourceHandle);
    }
    const bool is_first = loaded_kernels().insert(call.kernel).second;
    if (is_first && machine().lazy_kernels && captures(config.stream)) {
      loaded_kernels().erase(call.kernel);
      return refuse(run.name, "it would be loaded while work is captured",
                    cudaErrorStreamCaptureUnsupported);
    }
    report_crashes();
    return submit(config.stream, {Work::Kind::launch, call.kernel, [run] { run_on_machine(run); }});
  });
}

}  // namespace cuda_host

using namespace cuda_host;

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  return device_call([&] {
    if (machine().kernel_code != cudaSuccess) return machine().kernel_code;
    if (loaded_kernels().insert(kernel).second && machine().lazy_kernels && !is_capture_relaxed()) {
      const cudaError_t status = refuse_in_capture();
      if (status != cudaSuccess) return status;
    }
    *attributes = {.sharedSizeBytes = 0,
                   .maxThreadsPerBlock = static_cast<int>(kMaxThreads),
                   .numRegs = 0,
                   .ptxVersion = 10 * machine().major + machine().minor,
                   .binaryVersion = 10 * machine().major + machine().minor};
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  return device_call([&] {
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || static_cast<std::size_t>(value) > shared_per_block_optin_bytes()) {
      return cudaErrorInvalidValue;
    }
    allowed_dynamic_bytes()[kernel] = value;
    return cudaSuccess;
  });
}

/// As if kernels used few enough registers.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads,
                                                          std::size_t dynamic_bytes) {
  return device_call([&] {
    if (threads <= 0 || threads > static_cast<int>(kMaxThreads)) return cudaErrorInvalidValue;
    const int by_threads = threads_per_multiprocessor() / threads;
    const int by_memory =
        static_cast<int>(shared_per_block_optin_bytes() / std::max<std::size_t>(dynamic_bytes, 1));
    *blocks = std::min({by_threads, by_memory, 16});
    return cudaSuccess;
  });
}
