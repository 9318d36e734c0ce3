#pragma once

// Rays of a camera with its lens and its motion, and the pixels that show points.

#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>

#include "cameras/camera.h"

namespace mote {

/// A ray in camera axes.
struct CameraRay {
  glm::dvec3 origin_cam{0};     // not 0 where the camera moves
  glm::dvec3 direction_cam{0};  // of length 1
  double depth_per_length = 1;  // view z for a length along the ray; 1 where a lens shows
                                // directions that are far off the view axis
};

/// The ray through a point of the image. `exposure`: the time in the exposure of the pixel, 0 to 1.
/// Empty where the lens shows no direction.
std::optional<CameraRay> ray_through(const Camera& camera, glm::dvec2 px, double exposure = 0.5);

/// The point of the image plane that shows a point of the world; it may lie outside of the image.
/// In the middle of the exposure. Empty where the camera does not see the point.
std::optional<glm::dvec2> pixel_of(const Camera& camera, const glm::dvec3& world);

}  // namespace mote
