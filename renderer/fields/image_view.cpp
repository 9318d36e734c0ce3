#include "fields/image_view.h"

#include <algorithm>
#include <cmath>
#include <glm/matrix.hpp>

#include "cameras/camera.h"
#include "fields/image_plane.h"

namespace mote {
namespace {

constexpr int kMostPerSide = 4;

}  // namespace

ImageView image_view(double aspect, const Camera& camera) {
  const glm::dvec3 origin = camera.position_world();
  const glm::dmat3 world_from_cam = glm::transpose(camera.cam_from_world);
  ImageView view{};
  // Factors of a component of the direction, divided by `unit`.
  const auto set = [&](int axis, double unit, float(&factors)[3]) {
    const double x = world_from_cam[0][axis] / camera.focal_px.x;
    const double y = world_from_cam[1][axis] / camera.focal_px.y;
    const double rest = world_from_cam[2][axis] - x * camera.center_px.x - y * camera.center_px.y;
    factors[0] = static_cast<float>(x / unit);
    factors[1] = static_cast<float>(y / unit);
    factors[2] = static_cast<float>(rest / unit);
  };
  set(0, aspect, view.right);
  set(1, 1, view.down);
  set(2, -origin.z, view.along);
  view.origin_x = static_cast<float>(origin.x / aspect + 0.5);
  view.origin_y = static_cast<float>(origin.y + 0.5);
  return view;
}

int image_samples_per_side(double aspect, int image_height, const Camera& camera) {
  const glm::dmat3 world_from_cam = glm::transpose(camera.cam_from_world);
  const glm::dvec3 ray_cam{(0.5 * camera.width - camera.center_px.x) / camera.focal_px.x,
                           (0.5 * camera.height - camera.center_px.y) / camera.focal_px.y, 1};
  const auto middle = meet_image(aspect, camera.position_world(), world_from_cam * ray_cam);
  if (!middle) return 1;
  const double scale = camera.focal_px.y / (middle->distance * image_height);
  if (!(scale > 0)) return kMostPerSide;
  return std::clamp(static_cast<int>(std::ceil(0.75 / scale)), 1, kMostPerSide);
}

}  // namespace mote
