#include "train/run/view_coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <vector>

#include "cameras/camera_ray.h"
#include "cameras/lens_rays.h"
#include "scene/scene_layout.h"

namespace mote {
namespace {

constexpr int kGrid = 16;  // rays per side
constexpr double kLittle = 0.6;

glm::dvec3 in_camera(const Camera& camera, const glm::dvec3& point) {
  return camera.cam_from_world * point + camera.translation;
}

bool shows(const Camera& camera, const glm::dvec3& point) {
  const auto px = pixel_of(camera, point);
  return px && px->x >= 0 && px->y >= 0 && px->x < camera.width && px->y < camera.height;
}

/// The depth that CameraRay::depth_per_length gives: along the view axis, or of a wide lens the
/// distance.
double depth_of(const Camera& camera, const glm::dvec3& point) {
  const glm::dvec3 cam = in_camera(camera, point);
  return camera.lens && !camera.lens->slopes() ? glm::length(cam) : cam.z;
}

/// Median depth of the points that the camera shows; without points, the depth of the focus.
double usual_depth(const Dataset& dataset, const Camera& camera) {
  std::vector<double> depths;
  for (const glm::dvec3& point : dataset.points.positions) {
    if (shows(camera, point)) depths.push_back(depth_of(camera, point));
  }
  if (depths.empty()) {
    const SceneLayout layout = measure_layout(dataset);
    const double depth = depth_of(camera, layout.focus);
    return depth > 0 ? depth : layout.distance;
  }
  const auto middle = depths.begin() + static_cast<std::ptrdiff_t>(depths.size() / 2);
  std::nth_element(depths.begin(), middle, depths.end());
  return *middle;
}

}  // namespace

ViewCoverage view_coverage(const Dataset& dataset, std::uint32_t photograph) {
  const Camera& camera = dataset.photographs[photograph].camera;
  const double depth = usual_depth(dataset, camera);
  std::vector<glm::dvec3> places;
  for (int y = 0; y < kGrid; ++y) {
    for (int x = 0; x < kGrid; ++x) {
      const glm::dvec2 px((x + 0.5) / kGrid * camera.width, (y + 0.5) / kGrid * camera.height);
      const auto ray = ray_through(camera, px);
      if (!ray) continue;
      const glm::dvec3 p = ray->origin_cam + depth / ray->depth_per_length * ray->direction_cam;
      places.push_back(glm::transpose(camera.cam_from_world) * (p - camera.translation));
    }
  }
  ViewCoverage coverage;
  std::vector<int> seen_by(places.size(), 0);
  for (const std::uint32_t other : dataset.train) {
    if (other == photograph) continue;
    std::size_t seen = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!shows(dataset.photographs[other].camera, places[i])) continue;
      ++seen_by[i];
      ++seen;
    }
    coverage.cameras += 2 * seen >= places.size() ? 1 : 0;
  }
  const auto by_two = std::ranges::count_if(seen_by, [](int cameras) { return cameras >= 2; });
  coverage.seen = static_cast<double>(by_two) / static_cast<double>(places.size());
  return coverage;
}

bool is_little(const ViewCoverage& coverage) {
  return coverage.cameras < 2 || coverage.seen < kLittle;
}

std::string coverage_text(const ViewCoverage& coverage) {
  const bool one = coverage.cameras == 1;
  return fmt::format(
      "{} training camera{} at least half of it, and {:.0f} % of it is in two or more training "
      "photographs",
      coverage.cameras, one ? " sees" : "s see", 100 * coverage.seen);
}

}  // namespace mote
