#pragma once

#include <cstddef>

#include "scene/similarity.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Moves, rotates and scales the splats in place: positions, sizes, orientations and the
/// view-dependent colours.
void transform(SplatCloud& cloud, const Similarity& similarity);

/// Counts of splats whose geometry a float cannot represent.
struct FloatLimits {
  std::size_t infinite = 0;  // a position, scale or rotation is not finite
  /// The rounding error of a position exceeds the longest standard deviation of the splat.
  std::size_t coarse = 0;
};
FloatLimits find_float_limits(const SplatCloud& cloud);

}  // namespace mote
