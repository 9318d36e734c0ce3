#include "scene/similarity.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>

#include "core/error.h"

namespace mote {

glm::dmat3 rotation_about_axes(const glm::dvec3& angles) {
  const glm::dquat x = glm::angleAxis(angles.x, glm::dvec3(1, 0, 0));
  const glm::dquat y = glm::angleAxis(angles.y, glm::dvec3(0, 1, 0));
  const glm::dquat z = glm::angleAxis(angles.z, glm::dvec3(0, 0, 1));
  return glm::mat3_cast(z * y * x);
}

glm::dvec3 angles_about_axes(const glm::dmat3& rotation) {
  // R = Z Y X has -sin y in the first column's last row.
  const double sine = std::clamp(-rotation[0].z, -1.0, 1.0);
  // Gimbal lock: the axes of x and z coincide, so the whole rotation is assigned to x.
  if (std::abs(sine) > 1 - 1e-12) {
    return {std::atan2(-rotation[2].y, rotation[1].y), std::asin(sine), 0};
  }
  return {std::atan2(rotation[1].z, rotation[2].z), std::asin(sine),
          std::atan2(rotation[0].y, rotation[0].x)};
}

CameraFloats placed_camera(const Camera& camera, const Similarity& world_from_scene) {
  CHECK(world_from_scene.scale > 0);
  if (world_from_scene == Similarity{}) return camera_floats(camera);
  // camera_floats() derives the position from an orthonormal pose, so it gets the pose without the
  // scale. Afterwards only the pose is multiplied by the scale.
  CameraFloats placed = camera_floats(camera_before(world_from_scene, camera));
  const auto scale = static_cast<float>(world_from_scene.scale);
  for (float& value : placed.cam_from_world) value *= scale;
  for (float& value : placed.translation) value *= scale;
  placed.scale = scale;
  return placed;
}

bool is_identity(const Similarity& similarity) {
  return similarity == Similarity{};
}

Similarity chained(const Similarity& first, const Similarity& second) {
  return {.scale = second.scale * first.scale,
          .rotation = second.rotation * first.rotation,
          .translation = second.scale * (second.rotation * first.translation) + second.translation};
}

Similarity inverse(const Similarity& similarity) {
  CHECK(similarity.scale > 0);
  const glm::dmat3 rotation = glm::transpose(similarity.rotation);
  return {.scale = 1 / similarity.scale,
          .rotation = rotation,
          .translation = -(rotation * similarity.translation) / similarity.scale};
}

Similarity about(const Similarity& change, const glm::dvec3& pivot) {
  Similarity result = change;
  result.translation += pivot - change.scale * (change.rotation * pivot);
  return result;
}

Camera camera_before(const Similarity& similarity, const Camera& camera) {
  CHECK(similarity.scale > 0);
  Camera before = camera;
  before.cam_from_world = camera.cam_from_world * similarity.rotation;
  before.translation =
      (camera.cam_from_world * similarity.translation + camera.translation) / similarity.scale;
  return before;
}

}  // namespace mote
