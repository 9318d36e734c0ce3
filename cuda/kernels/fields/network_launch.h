#pragma once

// How kernels of networks are launched: the width of a kernel, and what its block has in shared
// memory.

#include <algorithm>
#include <cstddef>

#include "core/error.h"
#include "cuda/kernels/fields/network_blocks.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// visit<WIDTH>() for a network of `width_blocks`, at most of MOST neurons: 64 or 128.
template <int MOST = 128, class Visit>
auto visit_width(int width_blocks, const Visit& visit) {
  switch (width_blocks) {
    case 1:
      return visit.template operator()<16>();
    case 2:
      return visit.template operator()<32>();
    case 4:
      return visit.template operator()<64>();
    default:
      CHECK(width_blocks == 8 && MOST >= 128);
      return visit.template operator()<MOST>();
  }
}

/// A property of the current device.
inline unsigned device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "querying the device");
  check(cudaDeviceGetAttribute(&value, attribute, device), "querying the device");
  return static_cast<unsigned>(value);
}

inline unsigned multiprocessors() {
  return device_attribute(cudaDevAttrMultiProcessorCount);
}

/// Bytes of shared memory that a block may request.
inline std::size_t shared_bytes_of_block() {
  return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

/// Shared memory of a block of a network kernel.
struct NetworkMemory {
  std::size_t block_bytes;  // with the weights, if they are there
  bool has_weights;         // in shared memory
};

/// `blocks`: of weights. Two blocks of threads shall fit a multiprocessor, so that one works while
/// another waits.
inline NetworkMemory network_memory(int blocks, unsigned warps, std::size_t warp_bytes) {
  const std::size_t own = warps * warp_bytes;
  const std::size_t weights = static_cast<std::size_t>(blocks) * kBlock_bytes;
  const bool fits = own + weights <= shared_bytes_of_block() / 2;
  // A kernel asks for its memory even where it needs none.
  return {std::max(own + (fits ? weights : 0), sizeof(uint4)), fits};
}

}  // namespace mote::cuda
