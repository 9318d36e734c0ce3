#include "fields/field_camera.h"

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "cameras/camera_ray.h"
#include "cameras/shutter_motion.h"

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
  if (camera.motion) {
    ShutterMotion motion = *camera.motion;
    motion.shift_cam *= placement.scale;
    own.motion = std::make_shared<const ShutterMotion>(motion);
  }
  return own;
}

FieldCamera field_camera(const FieldPlacement& placement, const Camera& camera) {
  const Camera own = camera_in_field(placement, camera);
  return {.camera = own,
          .origin = own.position_world(),
          .field_from_cam = glm::transpose(own.cam_from_world),
          .world_per_field = 1 / placement.scale};
}

FieldCamera::Ray FieldCamera::ray_at(double x_px, double y_px) const {
  const glm::dvec2 plane = (glm::dvec2(x_px, y_px) - camera.center_px) / camera.focal_px;
  const glm::dvec3 cam(plane, 1);
  const double length = glm::length(cam);
  return {glm::vec3(field_from_cam * (cam / length)), static_cast<float>(world_per_field / length),
          glm::vec3(origin)};
}

std::optional<FieldCamera::Ray> FieldCamera::ray_through_lens(double x_px, double y_px,
                                                              double exposure) const {
  if (is_plain(camera)) return ray_at(x_px, y_px);
  const auto ray = ray_through(camera, {x_px, y_px}, exposure);
  if (!ray) return {};
  return Ray{glm::vec3(field_from_cam * ray->direction_cam),
             static_cast<float>(world_per_field * ray->depth_per_length),
             glm::vec3(origin + field_from_cam * ray->origin_cam)};
}

}  // namespace mote
