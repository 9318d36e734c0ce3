#pragma once

// Runs the work of toolkit libraries (CUB) on the simulated device.

#include <cstddef>
#include <functional>
#include <vector>

#include <cuda_host/runtime_types.h>

namespace cuda_host {

/// Device memory that the work accesses.
struct DeviceRange {
  const void* start;
  std::size_t bytes;
};

template <class T>
DeviceRange range_of(const T* start, std::size_t count) {
  return {start, count * sizeof(T)};
}

/// Runs the work in the stream's order. Returns an error unless all accessed memory is device
/// memory.
cudaError_t submit_library_work(cudaStream_t stream, std::vector<DeviceRange> touched,
                                std::function<void()> work);

/// Implements CUB's calling convention: without scratch memory it only returns the required size;
/// with too little it returns an error. The scratch memory is overwritten.
cudaError_t submit_with_scratch(void* scratch, std::size_t& scratch_bytes, std::size_t items,
                                cudaStream_t stream, std::vector<DeviceRange> touched,
                                std::function<void()> work);

}  // namespace cuda_host
