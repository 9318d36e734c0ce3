#include "cameras/camera.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "core/error.h"

namespace mote {

Camera resized(const Camera& camera, int width, int height) {
  CHECK(camera.width > 0 && camera.height > 0);
  Camera result = camera;
  const glm::dvec2 scale(static_cast<double>(width) / camera.width,
                         static_cast<double>(height) / camera.height);
  result.width = width;
  result.height = height;
  result.focal_px = camera.focal_px * scale;
  result.center_px = camera.center_px * scale;
  return result;
}

Camera fitted(const Camera& camera, int width, int height) {
  CHECK(camera.width > 0 && camera.height > 0);
  Camera result = camera;
  const glm::dvec2 old_size(camera.width, camera.height), size(width, height);
  const double scale = std::min(size.x / old_size.x, size.y / old_size.y);
  result.width = width;
  result.height = height;
  result.focal_px = camera.focal_px * scale;
  result.center_px = 0.5 * size + scale * (camera.center_px - 0.5 * old_size);
  return result;
}

void look_at(Camera& camera, glm::dvec3 eye, glm::dvec3 target, glm::dvec3 up) {
  const glm::dvec3 forward = glm::normalize(target - eye);
  glm::dvec3 right = glm::cross(forward, up);
  if (glm::dot(right, right) < 1e-12 * glm::dot(up, up)) {
    right =
        glm::cross(forward, std::abs(forward.x) < 0.9 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0));
  }
  right = glm::normalize(right);
  const glm::dvec3 down = glm::cross(forward, right);
  camera.cam_from_world = glm::transpose(glm::dmat3(right, down, forward));
  camera.translation = -(camera.cam_from_world * eye);
}

}  // namespace mote
