#pragma once

// The place of a neural image in the world: the plane z = 0 around the origin, with height 1; x is
// to its right and y points down.

#include <algorithm>
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

/// A rectangle of the image, 0 to 1 in both axes.
struct ImagePart {
  glm::dvec2 low{0}, high{1};
};

/// The camera that shows the part, as large as possible, in `width` times `height` pixels.
inline Camera image_camera(double aspect, int width, int height, const ImagePart& part = {}) {
  const glm::dvec2 unit(aspect, 1);
  const glm::dvec2 size = (part.high - part.low) * unit;
  const glm::dvec2 middle = (0.5 * (part.low + part.high) - 0.5) * unit;
  Camera camera;
  camera.width = width;
  camera.height = height;
  camera.focal_px = glm::dvec2(std::min(width / size.x, height / size.y));
  camera.center_px = {0.5 * width, 0.5 * height};
  camera.translation = glm::dvec3(0, 0, 1) - glm::dvec3(middle, 0);
  return camera;
}

}  // namespace mote
