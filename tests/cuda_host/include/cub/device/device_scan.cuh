#pragma once

// Replaces CUB's header in the host run: the part that Mote uses, by the standard algorithms.

#include <cstddef>
#include <numeric>

#include <cuda_host/library_work.h>

namespace cub {

struct DeviceScan {
  /// to[i] = from[0] + ... + from[i]; both may be one array.
  template <class T, class Count>
  static cudaError_t InclusiveSum(void* scratch, std::size_t& scratch_bytes, const T* from, T* to,
                                  Count count, cudaStream_t stream = nullptr) {
    const auto items = static_cast<std::size_t>(count);
    return cuda_host::submit_with_scratch(
        scratch, scratch_bytes, items, stream,
        {cuda_host::range_of(from, items), cuda_host::range_of(to, items)},
        [=] { std::partial_sum(from, from + items, to); });
  }
};

}  // namespace cub
