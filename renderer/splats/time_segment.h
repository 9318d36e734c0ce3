#pragma once

// The place of a life in a tree of times (a loose form of the Temporal Gaussian Hierarchy, Xu et
// al. 2024). Level l has 2^l segments. A life is in the finest level whose segments are not shorter
// than it, in the segment of its middle. At a time, only the segment of that time and a neighbour
// of it can hold living splats of a level.

#include <cstdint>

#include "lanes/scalar.h"
#include "splats/life_range.h"

namespace mote {

inline constexpr int kFinestTimeLevel = 12;
/// In memory, splats are in the order of the 2^kTimePartBits parts of each segment, so that the
/// splats of a block live at nearly the same times.
inline constexpr int kTimePartBits = 3;
/// Numbers of these parts, but that of faint splats, are less than 2^kTimeSegmentBits.
inline constexpr int kTimeSegmentBits = kFinestTimeLevel + kTimePartBits + 1;

/// A number that orders lives by level, then by segment, or by the 2^PART_BITS parts of segments.
/// 0: lives longer than `duration_s`, and all lives of a scene without a duration. Faint splats
/// come last.
template <int PART_BITS = 0>
MOTE_LANE std::uint32_t time_segment(const LifeRange& life, double duration_s) {
  constexpr std::uint32_t kLast = 0xffffffff;
  if (life.empty()) return kLast;
  const double length = life.to_s - life.from_s;
  if (!(length <= duration_s)) return 0;
  int level = 0;
  double segment_s = duration_s;
  while (level < kFinestTimeLevel && segment_s / 2 >= length) {
    segment_s /= 2;
    ++level;
  }
  const double last = static_cast<double>((1 << (level + PART_BITS)) - 1);
  const double part = floor((life.from_s + length / 2) / (segment_s / (1 << PART_BITS)));
  return (1u << (level + PART_BITS)) + static_cast<std::uint32_t>(max(min(part, last), 0.0));
}

}  // namespace mote
