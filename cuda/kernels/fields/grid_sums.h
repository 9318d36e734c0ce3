#pragma once

// Sums of gradients of a grid's entries, for kernels.
//
// Sums in fixed point are exact, so that they do not depend on the order, on the number of
// multiprocessors or on how a warp adds up its own. The gradients of features are halves: below
// 2^16, and the weights of a position sum up to 1. So the sum of n positions is below 2^16 n, and
// 63 bits leave 46 - log2(n) for its fraction: 28 bits for 2^18 positions. The smallest normal
// half, 2^-14, is then rounded by at most 2^-15 of itself.

#include <bit>
#include <cmath>

#include "cuda/kernels/fields/gradient_sums.h"
#include "cuda/runtime/dialect.h"

namespace mote::cuda {

using FixedSum = unsigned long long;  // a signed number in two's complement

/// Units of 1 in fixed point, a power of two.
inline float fixed_units(unsigned count) {
  return std::ldexp(1.0f, 47 - static_cast<int>(std::bit_width(count)));
}

MOTE_DEVICE FixedSum sum_of(float value, float units, FixedSum /*of_type*/) {
  return static_cast<FixedSum>(__float2ll_rn(value * units));
}
MOTE_DEVICE float sum_of(float value, float /*units*/, float /*of_type*/) {
  return value;
}

/// `factor`: gradient_of_sum().
MOTE_DEVICE float gradient_of(FixedSum sum, float factor) {
  return static_cast<float>(static_cast<long long>(sum)) * factor;
}
MOTE_DEVICE float gradient_of(float sum, float factor) {
  return sum * factor;
}

}  // namespace mote::cuda
