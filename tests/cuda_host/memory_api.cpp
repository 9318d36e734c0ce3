// The runtime API's allocations, and their counts.

#include "memory_api.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>

#include "controls.h"
#include "device_call.h"
#include "device_memory.h"
#include "race_check.h"
#include "streams.h"

namespace cuda_host {
namespace {

struct DeviceAllocation {
  std::size_t bytes;
  int device;
};

struct Accounts {
  std::map<void*, DeviceAllocation> device;
  std::map<std::uintptr_t, std::size_t> pinned;  // bytes, by address
  std::size_t bytes = 0, peak_bytes = 0;         // over all devices
  std::size_t taken = 0;
};

/// Never destroyed: statics of others may free.
Accounts& accounts() {
  static Accounts& accounts = *new Accounts;
  return accounts;
}

}  // namespace

std::size_t used_bytes(int device) {
  const std::lock_guard lock(device_mutex());
  std::size_t bytes = 0;
  for (const auto& [address, allocation] : accounts().device) {
    if (allocation.device == device) bytes += allocation.bytes;
  }
  return bytes;
}

MemoryUse memory_use() {
  const std::lock_guard lock(device_mutex());
  const Accounts& a = accounts();
  return {a.device.size(), a.bytes, a.peak_bytes, a.pinned.size(), a.taken};
}

void note_allocation(void* address, std::size_t bytes) {
  Accounts& a = accounts();
  a.device[address] = {bytes, current_device()};
  a.bytes += bytes;
  ++a.taken;
  a.peak_bytes = std::max(a.peak_bytes, a.bytes);
}

void free_all_memory() {
  Accounts& a = accounts();
  for (const auto& [address, allocation] : a.device) unmap_guarded(address);
  a.device.clear();
  for (const auto& [address, bytes] : a.pinned) std::free(reinterpret_cast<void*>(address));
  a.pinned.clear();
  a.bytes = a.peak_bytes = a.taken = 0;
}

bool is_pinned(const void* address, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto above = accounts().pinned.upper_bound(at);
  if (above == accounts().pinned.begin()) return false;
  const auto& [start, size] = *--above;
  return at - start <= size && bytes <= size - (at - start);
}

}  // namespace cuda_host

using namespace cuda_host;

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  return device_call([&] {
    if (const cudaError_t status = refuse_in_capture(); status != cudaSuccess) return status;
    *address = nullptr;
    if (bytes == 0) return cudaSuccess;
    const int device = current_device();
    const std::size_t limit = machine().memory_bytes;
    if (bytes > limit || used_bytes(device) > limit - bytes) return cudaErrorMemoryAllocation;
    *address = map_guarded(bytes, kDeviceAlignment);
    if (*address == nullptr) return cudaErrorMemoryAllocation;
    note_allocation(*address, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaFree(void* address) {
  return device_call([&] {
    if (const cudaError_t status = refuse_in_capture(); status != cudaSuccess) return status;
    if (address == nullptr) return cudaSuccess;
    if (const cudaError_t status = finish_all_streams(); status != cudaSuccess) return status;
    Accounts& a = accounts();
    const auto found = a.device.find(address);
    if (found == a.device.end()) return cudaErrorInvalidValue;
    const std::size_t found_bytes = found->second.bytes;
    a.bytes -= found_bytes;
    a.device.erase(found);
    forget_accesses(address, found_bytes);
    unmap_guarded(address);
    return cudaSuccess;
  });
}

cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned) {
  return device_call([&] {
    if (const cudaError_t status = refuse_in_capture(); status != cudaSuccess) return status;
    *address = nullptr;
    if (bytes == 0) return cudaSuccess;
    *address = std::malloc(bytes);
    if (*address == nullptr) return cudaErrorMemoryAllocation;
    std::memset(*address, 0xff, bytes);
    ++accounts().taken;
    accounts().pinned[reinterpret_cast<std::uintptr_t>(*address)] = bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void** address, std::size_t bytes) {
  return cudaHostAlloc(address, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* address) {
  return device_call([&] {
    if (const cudaError_t status = refuse_in_capture(); status != cudaSuccess) return status;
    if (address == nullptr) return cudaSuccess;
    if (const cudaError_t status = finish_all_streams(); status != cudaSuccess) return status;
    if (accounts().pinned.erase(reinterpret_cast<std::uintptr_t>(address)) == 0) {
      return cudaErrorInvalidValue;
    }
    std::free(address);
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return device_call([&] {
    *total = machine().memory_bytes;
    *free = *total - std::min(*total, used_bytes(current_device()));
    return cudaSuccess;
  });
}
