#pragma once

#include <vector>

namespace mote {

/// Frees the memory of the elements. `values = {}` only removes them: it assigns an empty list, and
/// the vector keeps its memory.
template <class T>
void release(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

}  // namespace mote
