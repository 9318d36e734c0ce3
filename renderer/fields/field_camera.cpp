#include "fields/field_camera.h"

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

namespace mote {

glm::dmat3 cycle_axes() {
  // Columns: where x, y and z go.
  return {glm::dvec3(0, 0, 1), glm::dvec3(1, 0, 0), glm::dvec3(0, 1, 0)};
}

glm::dvec3 field_from_world(const FieldPlacement& placement, const glm::dvec3& world) {
  return cycle_axes() * (placement.scale * world + placement.offset);
}

glm::dvec3 world_from_field(const FieldPlacement& placement, const glm::dvec3& field) {
  return (glm::transpose(cycle_axes()) * field - placement.offset) / placement.scale;
}

Camera camera_in_field(const FieldPlacement& placement, const Camera& camera) {
  Camera own = camera;
  own.cam_from_world = camera.cam_from_world * glm::transpose(cycle_axes());
  own.translation = placement.scale * camera.translation - camera.cam_from_world * placement.offset;
  return own;
}

FieldCamera field_camera(const FieldPlacement& placement, const Camera& camera) {
  const Camera own = camera_in_field(placement, camera);
  return {.origin = own.position_world(),
          .field_from_cam = glm::transpose(own.cam_from_world),
          .focal_px = camera.focal_px,
          .center_px = camera.center_px,
          .world_per_field = 1 / placement.scale};
}

FieldCamera::Ray FieldCamera::ray_at(double x_px, double y_px) const {
  const glm::dvec3 cam{(x_px - center_px.x) / focal_px.x, (y_px - center_px.y) / focal_px.y, 1};
  const double length = glm::length(cam);
  return {glm::vec3(field_from_cam * (cam / length)), static_cast<float>(world_per_field / length)};
}

}  // namespace mote
