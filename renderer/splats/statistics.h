#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/vec3.hpp>

#include "splats/splat_cloud.h"

namespace mote {

/// The distribution of values, without those that are not finite. All zero if none is left.
struct Distribution {
  static constexpr std::array kPercents{0.0, 1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0, 100.0};
  static constexpr std::size_t kLow = 1, kHigh = kPercents.size() - 2;  // indices of 1 % and 99 %
  static constexpr std::size_t kBins = 40;

  std::array<float, kPercents.size()> percentiles{};  // the value at each of kPercents
  double low = 0, high = 0;                           // range of the bins, which have equal widths
  /// The first and last bin also count values outside the range.
  std::array<std::uint64_t, kBins> bins{};
};

struct Bounds {
  glm::vec3 low{0}, high{0};
};

struct CloudStatistics {
  Bounds bounds;         // bounding box of all finite positions
  Bounds inner_bounds;   // per axis from the 1st to the 99th percentile
  Distribution opacity;  // 0 to 1; bins over the whole range
  /// Standard deviation along the longest axis, world units; bins of its log10 from the 1st to the
  /// 99th percentile.
  Distribution size;
  std::size_t invalid = 0;           // as defined by is_valid (splats/selection.h)
  std::size_t infinite_opacity = 0;  // either sign
  std::size_t zero_rotation = 0;     // quaternions of length 0
  std::size_t invisible = 0;         // opacity below 1/255: never drawn
  std::size_t huge = 0;              // size above the diagonal of inner_bounds
};

/// Measures every splat. Needs four bytes per splat of scratch.
CloudStatistics measure(const SplatCloud& cloud);

}  // namespace mote
