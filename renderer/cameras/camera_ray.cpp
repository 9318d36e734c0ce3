#include "cameras/camera_ray.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "cameras/lens_chart.h"
#include "cameras/lens_rays.h"
#include "cameras/shutter_motion.h"

namespace mote {
namespace {

glm::dvec2 size_px(const Camera& camera) {
  return {camera.width, camera.height};
}

/// The pixel of a camera at rest that shows a direction. Empty beyond a fold of the lens.
std::optional<glm::dvec2> pixel_at_rest(const Camera& camera, const glm::dvec3& direction) {
  glm::dvec2 plane;
  if (camera.lens) {
    plane = project(camera.lens->lens(), direction);
    const glm::dvec2 px = camera.focal_px * plane + camera.center_px;
    const bool inside = px.x >= 0 && px.y >= 0 && px.x <= camera.width && px.y <= camera.height;
    if (inside) {
      const auto shown = camera.lens->direction(plane);
      if (!shown || !(glm::dot(*shown, glm::normalize(direction)) > 1 - 1e-9)) return {};
    }
  } else {
    if (!(direction.z > 0)) return {};
    plane = glm::dvec2(direction) / direction.z;
  }
  const glm::dvec2 px = camera.focal_px * plane + camera.center_px;
  if (!std::isfinite(px.x) || !std::isfinite(px.y)) return {};
  return px;
}

}  // namespace

std::optional<CameraRay> ray_through(const Camera& camera, glm::dvec2 px, double exposure) {
  const glm::dvec2 plane = (px - camera.center_px) / camera.focal_px;
  CameraRay ray;
  if (camera.lens) {
    const auto direction = camera.lens->direction(plane);
    if (!direction) return {};
    ray.direction_cam = *direction;
    if (camera.lens->slopes()) ray.depth_per_length = direction->z;
  } else {
    const glm::dvec3 through(plane, 1);
    const double length = glm::length(through);
    ray.direction_cam = through / length;
    ray.depth_per_length = 1 / length;
  }
  if (camera.motion) {
    const CameraPose pose =
        camera.motion->pose_cam(camera.motion->share_at(px / size_px(camera), exposure));
    ray.origin_cam = pose.position_world;
    ray.direction_cam = pose.world_from_cam * ray.direction_cam;
  }
  return ray;
}

std::optional<glm::dvec2> pixel_of(const Camera& camera, const glm::dvec3& world) {
  const glm::dvec3 point = camera.cam_from_world * world + camera.translation;
  std::optional<glm::dvec2> px = pixel_at_rest(camera, point);
  if (!camera.motion || !px) return px;
  // The time belongs to the pixel, which depends on the time.
  constexpr int kIterations = 30;
  for (int i = 0; i < kIterations; ++i) {
    const CameraPose pose =
        camera.motion->pose_cam(camera.motion->share_at(*px / size_px(camera), 0.5));
    const auto next =
        pixel_at_rest(camera, glm::transpose(pose.world_from_cam) * (point - pose.position_world));
    if (!next) return {};
    const double moved = glm::distance(*next, *px);
    px = next;
    if (moved < 1e-9) break;
  }
  return px;
}

}  // namespace mote
