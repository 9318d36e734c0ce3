#pragma once

#include <cstddef>

#include "scene/similarity.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Moves, rotates and scales the splats in place: positions, sizes, orientations and the
/// view-dependent colours.
void transform(SplatCloud& cloud, const Similarity& similarity);

/// The same for all splats of a scene. Throws Error for a scene with a deformation field, which
/// does not follow, unless nothing changes.
void transform_scene(SplatCloud& cloud, const Similarity& similarity);

/// Numbers of splats whose geometry floats cannot represent.
struct FloatLimits {
  std::size_t infinite = 0;  // a position, scale or rotation is not finite
  /// Splats whose rounding error of the position exceeds their longest standard deviation.
  std::size_t coarse = 0;
};
FloatLimits find_float_limits(const SplatCloud& cloud);

}  // namespace mote
