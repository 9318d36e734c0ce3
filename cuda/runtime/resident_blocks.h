#pragma once

#include <algorithm>

#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// Number of blocks of the kernel that the current device can run concurrently: the grid size of a
/// kernel whose blocks take work from a queue. `name`: for messages.
template <class... Params>
unsigned resident_blocks(void (*kernel)(Params...), unsigned threads, const char* name) {
  int device = 0, multiprocessors = 0, each = 0;
  check(cudaGetDevice(&device), name);
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), name);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, static_cast<int>(threads), 0),
        name);
  return static_cast<unsigned>(std::max(1, multiprocessors * each));
}

}  // namespace mote::cuda
