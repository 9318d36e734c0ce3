#pragma once

// The place of a neural image in the world: the plane z = 0 around the origin, with height 1; x is
// to its right and y points down.

#include <cmath>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>

#include "cameras/camera.h"
#include "fields/neural_field.h"

namespace mote {

/// Width divided by height.
inline double image_aspect(const NeuralField& field) {
  return static_cast<double>(field.image_width) / field.image_height;
}

/// The point where a ray meets the plane, 0 to 1 in both axes inside the image; empty if the ray
/// does not meet it in front of its origin.
struct ImagePoint {
  glm::dvec2 position;
  double distance;  // along the ray, in lengths of its direction
};
inline std::optional<ImagePoint> meet_image(double aspect, const glm::dvec3& origin,
                                            const glm::dvec3& direction) {
  const double distance = -origin.z / direction.z;
  if (!(distance > 0) || !std::isfinite(distance)) return {};
  const glm::dvec3 at = origin + distance * direction;
  return ImagePoint{{at.x / aspect + 0.5, at.y + 0.5}, distance};
}

/// The camera that shows the whole image, as large as possible, in `width` times `height` pixels.
inline Camera image_camera(double aspect, int width, int height) {
  Camera camera;
  camera.width = width;
  camera.height = height;
  const double pixels_per_unit = std::min(width / aspect, static_cast<double>(height));
  camera.focal_px = glm::dvec2(pixels_per_unit);
  camera.center_px = {0.5 * width, 0.5 * height};
  camera.translation = {0, 0, 1};
  return camera;
}

}  // namespace mote
