#pragma once

// min and max of integers, since the lane functions of these names hide CUDA's.

#include <concepts>

#include "lanes/scalar.h"

namespace mote::cuda {

using mote::max;
using mote::min;

template <std::integral T>
MOTE_LANE T min(T a, T b) {
  return a < b ? a : b;
}
template <std::integral T>
MOTE_LANE T max(T a, T b) {
  return a > b ? a : b;
}

}  // namespace mote::cuda
