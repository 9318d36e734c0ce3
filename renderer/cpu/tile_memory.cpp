#include "cpu/tile_memory.h"

#include "core/buffer.h"

namespace mote {

float* tile_memory(std::size_t floats) {
  thread_local Buffer<float> memory;
  memory.resize_discard(floats);
  return memory.data();
}

}  // namespace mote
