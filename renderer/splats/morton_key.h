#pragma once

// The position of a mean along a Morton curve through the bounding box of all means. The keys are
// identical bit for bit on every device.

#include <cstdint>

#include "lanes/scalar.h"

namespace mote {

/// The bounding box of means, world units.
struct MeanBox {
  float low[3], high[3];
};

inline constexpr int kMortonBitsPerAxis = 21;
/// Keys are less than 2^kMortonBits.
inline constexpr int kMortonBits = 3 * kMortonBitsPerAxis;

MOTE_LANE bool is_finite(const float (&mean)[3]) {
  constexpr float kLargest = 3.402823466e38f;
  return abs(mean[0]) <= kLargest && abs(mean[1]) <= kLargest && abs(mean[2]) <= kLargest;
}

/// Inserts two zero bits after each of the low 21 bits.
MOTE_LANE std::uint64_t spread_bits(std::uint64_t v) {
  v = (v | v << 32) & 0x1f00000000ffffull;
  v = (v | v << 16) & 0x1f0000ff0000ffull;
  v = (v | v << 8) & 0x100f00f00f00f00full;
  v = (v | v << 4) & 0x10c30c30c30c30c3ull;
  return (v | v << 2) & 0x1249249249249249ull;
}

/// The key of a mean in the box. A mean that is not finite gets the largest key.
MOTE_LANE std::uint64_t morton_key(const MeanBox& box, const float (&mean)[3]) {
  if (!is_finite(mean)) return (std::uint64_t{1} << kMortonBits) - 1;
  constexpr double kCells = (1 << kMortonBitsPerAxis) - 1;
  std::uint64_t key = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = static_cast<double>(box.low[axis]);
    const double size = static_cast<double>(box.high[axis]) - low;
    const double place = size > 0 ? (static_cast<double>(mean[axis]) - low) / size : 0;
    key |= spread_bits(static_cast<std::uint64_t>(place * kCells)) << axis;
  }
  return key;
}

}  // namespace mote
