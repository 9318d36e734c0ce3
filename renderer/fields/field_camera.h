#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "cameras/camera.h"
#include "fields/neural_field.h"

namespace mote {

/// The rotation of cycled(): (x, y, z) -> (y, z, x).
glm::dmat3 cycle_axes();

glm::dvec3 field_from_world(const FieldPlacement& placement, const glm::dvec3& world);
glm::dvec3 world_from_field(const FieldPlacement& placement, const glm::dvec3& field);

/// A pinhole camera whose rays are in a field's frame.
struct FieldCamera {
  glm::dvec3 origin{0};
  glm::dmat3 field_from_cam{1};  // rotation
  glm::dvec2 focal_px{1}, center_px{0};
  double world_per_field = 1;  // length

  /// A ray through a point of the image. `direction` has the length 1.
  struct Ray {
    glm::vec3 direction;
    float depth_per_length;  // view z in world units for a length along the ray
  };
  Ray ray_at(double x_px, double y_px) const;
};

/// The camera in the field's frame: lengths are the field's.
Camera camera_in_field(const FieldPlacement& placement, const Camera& camera);

FieldCamera field_camera(const FieldPlacement& placement, const Camera& camera);

}  // namespace mote
