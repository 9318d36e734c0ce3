#pragma once

#include <cstddef>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "cameras/camera.h"
#include "scene/splat_cloud.h"

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

/// The angles that rotation_about_axes() makes it of: that about y from -pi/2 to pi/2.
glm::dvec3 angles_about_axes(const glm::dmat3& rotation);

/// Moves, turns and resizes the splats in place: positions, sizes, orientations and, with them, the
/// colours that depend on direction.
void transform(SplatCloud& cloud, const Similarity& similarity);

/// Splats whose geometry a float cannot hold.
struct FloatLimits {
  std::size_t infinite = 0;  // a position, scale or rotation is not finite
  /// A position is rounded by more than the longest standard deviation of the splat.
  std::size_t coarse = 0;
};
FloatLimits find_float_limits(const SplatCloud& cloud);

/// A camera that sees of a cloud what `camera` sees of it once it is transformed, for who leaves
/// the cloud as it is: pixels are the same, view depths are those of the transformed one divided by
/// the scale.
Camera camera_before(const Similarity& similarity, const Camera& camera);

}  // namespace mote
