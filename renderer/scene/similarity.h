#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "cameras/camera.h"
#include "cameras/camera_floats.h"

namespace mote {

/// p' = scale * rotation * p + translation.
struct Similarity {
  double scale = 1;  // above 0
  glm::dmat3 rotation{1};
  glm::dvec3 translation{0};
  bool operator==(const Similarity&) const = default;
};

bool is_identity(const Similarity& similarity);
/// The composition: applies `first`, then `second`.
Similarity chained(const Similarity& first, const Similarity& second);
Similarity inverse(const Similarity& similarity);
/// Rotates and scales about `pivot`, then moves by the translation.
Similarity about(const Similarity& change, const glm::dvec3& pivot);

/// The rotation about the world's x axis, then its y axis, then its z axis; radians.
glm::dmat3 rotation_about_axes(const glm::dvec3& angles);

/// The angles with which rotation_about_axes() returns `rotation`. The angle about y is in -pi/2 to
/// pi/2.
glm::dvec3 angles_about_axes(const glm::dmat3& rotation);

/// The camera for kernels that read a scene in its own frame. The similarity places the scene in
/// the world. View depths are in world units. Equal to camera_floats() for the identity.
CameraFloats placed_camera(const Camera& camera, const Similarity& world_from_scene);

/// A camera that shows the original cloud as `camera` shows the transformed one. Pixels are the
/// same; view depths are those of the transformed cloud divided by the scale.
Camera camera_before(const Similarity& similarity, const Camera& camera);

}  // namespace mote
