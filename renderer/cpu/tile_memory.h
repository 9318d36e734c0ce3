#pragma once

#include <cstddef>

namespace mote {

/// Memory of the calling thread for the values of a tile: `floats` floats, aligned to 64 bytes,
/// valid until the next call on the thread. Kernels are called thousands of times in a second; with
/// memory of each call, the system would map and unmap it. Throws std::bad_alloc.
float* tile_memory(std::size_t floats);

}  // namespace mote
