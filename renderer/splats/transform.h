#pragma once

#include <cstddef>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "cameras/camera.h"
#include "splats/splat_cloud.h"

namespace mote {

/// p' = scale * rotation * p + translation.
struct Similarity {
  double scale = 1;  // above 0
  glm::dmat3 rotation{1};
  glm::dvec3 translation{0};
  bool operator==(const Similarity&) const = default;
};

/// The rotation about the world's x axis, then y, then z; radians.
glm::dmat3 rotation_about_axes(const glm::dvec3& angles);

/// The angles from which rotation_about_axes() makes `rotation`; the angle about y is in -pi/2 to
/// pi/2.
glm::dvec3 angles_about_axes(const glm::dmat3& rotation);

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

/// A camera that shows the original cloud as `camera` shows the transformed one. Pixels are the
/// same; view depths are those of the transformed cloud divided by the scale.
Camera camera_before(const Similarity& similarity, const Camera& camera);

}  // namespace mote
