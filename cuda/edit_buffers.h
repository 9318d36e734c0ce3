#pragma once

// Buffers for changes of a set of splats.

#include <cstddef>
#include <utility>
#include <vector>

#include "core/error.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// A list of an edit on the device, which names splats below `count`.
template <class T>
DeviceBuffer<T> uploaded(const std::vector<T>& list, const char* name, std::size_t count,
                         cudaStream_t stream) {
  for (const T& entry : list) CHECK(entry.splat < count);
  DeviceBuffer<T> buffer(name);
  buffer.resize_discard(list.size());
  buffer.upload(list, stream);
  return buffer;
}

/// Makes space for `count` elements in `buffer` and keeps its content: copies it to `spare`, whose
/// content is not needed, and swaps the two. This takes no third buffer.
template <class T>
void grow_into(DeviceBuffer<T>& buffer, DeviceBuffer<T>& spare, std::size_t count,
               cudaStream_t stream) {
  if (count <= buffer.capacity()) return;
  spare.reserve_discard(count);
  spare.copy(buffer, stream);
  std::swap(buffer, spare);
}

}  // namespace mote::cuda
