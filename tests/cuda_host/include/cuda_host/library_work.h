#pragma once

// How the entry points of the toolkit's libraries (CUB) do their work on the device.

#include <cstddef>
#include <functional>
#include <vector>

#include <cuda_host/runtime_types.h>

namespace cuda_host {

/// Device memory that the work touches.
struct DeviceRange {
  const void* start;
  std::size_t bytes;
};

template <class T>
DeviceRange range_of(const T* start, std::size_t count) {
  return {start, count * sizeof(T)};
}

/// Does the work in the stream's order. Refused where not all it touches is device memory.
cudaError_t submit_library_work(cudaStream_t stream, std::vector<DeviceRange> touched,
                                std::function<void()> work);

/// As CUB calls it: without scratch memory, says how much it needs and does nothing; with too
/// little, refuses. The scratch memory is overwritten.
cudaError_t submit_with_scratch(void* scratch, std::size_t& scratch_bytes, std::size_t items,
                                cudaStream_t stream, std::vector<DeviceRange> touched,
                                std::function<void()> work);

}  // namespace cuda_host
