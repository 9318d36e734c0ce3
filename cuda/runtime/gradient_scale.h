#pragma once

// The factor on gradients of which halves shall not become zero or infinite. It is found on the
// device from the largest of them, so that the host need not wait.

#include "cuda/runtime/dialect.h"
#include "lanes/scalar.h"

namespace mote::cuda {

/// A power of two that brings the largest gradient to 2^7 or more, below 2^8: so layers of a
/// network may enlarge it 256 times, and gradients down to 2^-21 of it are normal halves.
/// `largest`: the bits of its absolute value.
MOTE_DEVICE float gradient_scale(unsigned largest) {
  constexpr int kBias = 127, kExponent = 7;
  if (largest == 0) return 1;
  int exponent = 2 * kBias + kExponent - static_cast<int>(largest >> 23);
  // The scale and its reciprocal are normal numbers.
  if (exponent < 1) exponent = 1;
  if (exponent > 2 * kBias - 1) exponent = 2 * kBias - 1;
  return float_of_bits(static_cast<unsigned>(exponent) << 23);
}

}  // namespace mote::cuda
