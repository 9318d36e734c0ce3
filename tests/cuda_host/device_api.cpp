// The runtime API's queries of drivers and devices: the properties of the machine in
// tests/cuda_host/controls.h.

#include <cstdio>
#include <cstring>

#include "controls.h"
#include "device_api.h"
#include "device_call.h"

namespace cuda_host {

/// CUDA C++ Programming Guide 13.0, table "Technical Specifications per Compute Capability".
std::size_t shared_per_block_optin_bytes() {
  const int capability = machine().major * 10 + machine().minor;
  const std::size_t kib = capability >= 120                      ? 99
                          : capability >= 90                     ? 227
                          : capability == 80 || capability == 87 ? 163
                          : capability >= 86                     ? 99
                                                                 : 64;
  return kib * 1024;
}

int threads_per_multiprocessor() {
  const int capability = machine().major * 10 + machine().minor;
  if (capability == 75) return 1024;
  return capability == 80 || (capability >= 90 && capability < 120) ? 2048 : 1536;
}

namespace {

constexpr int kRegisters = 65536;
constexpr int kL2_bytes = 4 << 20;
constexpr int kBus_bits = 256;
constexpr int kBlocksPerMultiprocessor = 16;

bool is_device(int device) {
  return device >= 0 && device < machine().devices;
}

int shared_per_multiprocessor_bytes() {
  return static_cast<int>(shared_per_block_optin_bytes()) + 1024;
}

}  // namespace
}  // namespace cuda_host

using namespace cuda_host;

cudaError_t cudaDriverGetVersion(int* version) {
  *version = machine().driver_version;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  return device_call([&] {
    *count = machine().devices;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return device_call([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    cudaDeviceProp p{};
    std::snprintf(p.name, sizeof p.name, "host run %d", device);
    std::memcpy(p.uuid.bytes, machine().uuid, sizeof p.uuid.bytes);
    if (device > 0) p.uuid.bytes[15] = static_cast<char>(device);
    p.totalGlobalMem = machine().memory_bytes;
    p.sharedMemPerBlock = 48 * 1024;
    p.sharedMemPerBlockOptin = shared_per_block_optin_bytes();
    p.sharedMemPerMultiprocessor = static_cast<std::size_t>(shared_per_multiprocessor_bytes());
    p.regsPerBlock = p.regsPerMultiprocessor = kRegisters;
    p.warpSize = 32;
    p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = 0x7fffffff;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.major = machine().major;
    p.minor = machine().minor;
    p.multiProcessorCount = machine().multiprocessors;
    p.pciBusID = device + 1;
    p.memoryBusWidth = kBus_bits;
    p.l2CacheSize = kL2_bytes;
    p.maxThreadsPerMultiProcessor = threads_per_multiprocessor();
    p.maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor;
    *properties = p;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return device_call([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevAttrMaxThreadsPerBlock:
        *value = 1024;
        break;
      case cudaDevAttrMaxGridDimX:
        *value = 0x7fffffff;
        break;
      case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = 48 * 1024;
        break;
      case cudaDevAttrWarpSize:
        *value = 32;
        break;
      case cudaDevAttrClockRate:
        *value = 1'000'000;
        break;
      case cudaDevAttrMultiProcessorCount:
        *value = machine().multiprocessors;
        break;
      case cudaDevAttrComputeMode:
        *value = 0;
        break;
      case cudaDevAttrMemoryClockRate:
        *value = 1'000'000;
        break;
      case cudaDevAttrGlobalMemoryBusWidth:
        *value = kBus_bits;
        break;
      case cudaDevAttrL2CacheSize:
        *value = kL2_bytes;
        break;
      case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = threads_per_multiprocessor();
        break;
      case cudaDevAttrComputeCapabilityMajor:
        *value = machine().major;
        break;
      case cudaDevAttrComputeCapabilityMinor:
        *value = machine().minor;
        break;
      case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = shared_per_multiprocessor_bytes();
        break;
      case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = kRegisters;
        break;
      case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = static_cast<int>(shared_per_block_optin_bytes());
        break;
      case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = kBlocksPerMultiprocessor;
        break;
      default:
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return device_call([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
    return cudaSuccess;
  });
}
