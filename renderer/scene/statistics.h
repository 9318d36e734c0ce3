#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/vec3.hpp>

#include "scene/splat_cloud.h"

namespace mote {

/// How values are spread. What is not finite is left out; all zero where nothing is left.
struct Distribution {
  static constexpr std::array kPercents{0.0, 1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0, 100.0};
  static constexpr std::size_t kBins = 40;

  std::array<float, kPercents.size()> percentiles{};  // the value at each of kPercents
  double low = 0, high = 0;                           // what the bins divide evenly
  std::array<std::uint64_t, kBins> bins{};            // values beyond count at the ends
};

struct Bounds {
  glm::vec3 low{0}, high{0};
};

struct CloudStatistics {
  Bounds bounds;         // of all finite positions
  Bounds inner_bounds;   // per axis from the 1st to the 99th percentile
  Distribution opacity;  // 0 to 1; bins over all of it
  /// Standard deviation along the longest axis, world units; bins of its log10 from the 1st to the
  /// 99th percentile.
  Distribution size;
  std::size_t invalid = 0;           // as is_valid (scene/selection.h) says
  std::size_t infinite_opacity = 0;  // either sign
  std::size_t zero_rotation = 0;     // quaternions of length 0
  std::size_t invisible = 0;         // opacity below 1/255: never drawn
  std::size_t huge = 0;              // size above the diagonal of inner_bounds
};

/// Looks at every splat. Needs four bytes a splat besides the cloud.
CloudStatistics measure(const SplatCloud& cloud);

}  // namespace mote
