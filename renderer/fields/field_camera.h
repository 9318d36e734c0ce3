#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>
#include <optional>

#include "cameras/camera.h"
#include "fields/chosen_rays.h"
#include "fields/neural_field.h"

namespace mote {

/// Directions of the light of surfaces in the camera's frame: the sun stands behind its left
/// shoulder, so that every view is lit.
inline constexpr glm::dvec3 kSunFromCamera{-0.5, -0.8, -0.7}, kUpFromCamera{0, -1, 0};

/// The rotation of cycled(): (x, y, z) -> (y, z, x).
glm::dmat3 cycle_axes();

glm::dvec3 field_from_world(const FieldPlacement& placement, const glm::dvec3& world);
glm::dvec3 world_from_field(const FieldPlacement& placement, const glm::dvec3& field);

/// Whether all rays of a camera start at one point and pass through no lens.
inline bool is_plain(const Camera& camera) {
  return !camera.lens && !camera.motion;
}

/// A camera whose rays are in a field's frame.
struct FieldCamera {
  Camera camera;  // see camera_in_field()
  glm::dvec3 origin{0};
  glm::dmat3 field_from_cam{1};  // rotation
  double world_per_field = 1;    // length

  /// A ray through a point of the image. `direction` has the length 1.
  struct Ray {
    glm::vec3 direction;
    float depth_per_length;  // view z in world units for a length along the ray
    glm::vec3 origin;
  };
  /// The ray of the plain camera.
  Ray ray_at(double x_px, double y_px) const;
  /// The ray through the lens, from where the camera is at that time; see ray_through().
  std::optional<Ray> ray_through_lens(double x_px, double y_px, double exposure = 0.5) const;
};

/// The camera in the field's frame: lengths are the field's.
Camera camera_in_field(const FieldPlacement& placement, const Camera& camera);

FieldCamera field_camera(const FieldPlacement& placement, const Camera& camera);

/// The same for kernels, of a plain camera.
template <class F>
PlainCamera<F> plain_camera(const FieldCamera& camera) {
  const Camera& own = camera.camera;
  PlainCamera<F> plain{
      .center_px = {static_cast<F>(own.center_px.x), static_cast<F>(own.center_px.y)},
      .focal_px = {static_cast<F>(own.focal_px.x), static_cast<F>(own.focal_px.y)},
      .field_from_cam = {}};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      plain.field_from_cam[row][column] = static_cast<F>(camera.field_from_cam[column][row]);
    }
  }
  return plain;
}

}  // namespace mote
