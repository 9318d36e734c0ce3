#include "train/run/view_coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <vector>

#include "scene/scene_layout.h"

namespace mote {
namespace {

constexpr int kGrid = 16;  // rays per side
constexpr double kLittle = 0.6;

glm::dvec3 in_camera(const Camera& camera, const glm::dvec3& point) {
  return camera.cam_from_world * point + camera.translation;
}

bool shows(const Camera& camera, const glm::dvec3& point) {
  const glm::dvec3 p = in_camera(camera, point);
  if (!(p.z > 0)) return false;
  const double u = camera.focal_px.x * p.x / p.z + camera.center_px.x;
  const double v = camera.focal_px.y * p.y / p.z + camera.center_px.y;
  return u >= 0 && v >= 0 && u < camera.width && v < camera.height;
}

/// Median depth along the view axis of the points that the camera shows; without points, the depth
/// of the focus.
double usual_depth(const Dataset& dataset, const Camera& camera) {
  std::vector<double> depths;
  for (const glm::dvec3& point : dataset.points.positions) {
    if (shows(camera, point)) depths.push_back(in_camera(camera, point).z);
  }
  if (depths.empty()) {
    const SceneLayout layout = measure_layout(dataset);
    const double depth = in_camera(camera, layout.focus).z;
    return depth > 0 ? depth : layout.distance;
  }
  const auto middle = depths.begin() + static_cast<std::ptrdiff_t>(depths.size() / 2);
  std::nth_element(depths.begin(), middle, depths.end());
  return *middle;
}

}  // namespace

ViewCoverage view_coverage(const Dataset& dataset, std::uint32_t photograph) {
  constexpr std::size_t kPlaces = std::size_t{kGrid} * kGrid;
  const Camera& camera = dataset.photographs[photograph].camera;
  const double depth = usual_depth(dataset, camera);
  std::vector<glm::dvec3> places;
  for (int y = 0; y < kGrid; ++y) {
    for (int x = 0; x < kGrid; ++x) {
      const glm::dvec2 px((x + 0.5) / kGrid * camera.width, (y + 0.5) / kGrid * camera.height);
      const glm::dvec3 p(depth * (px - camera.center_px) / camera.focal_px, depth);
      places.push_back(glm::transpose(camera.cam_from_world) * (p - camera.translation));
    }
  }
  ViewCoverage coverage;
  std::vector<int> seen_by(kPlaces, 0);
  for (const std::uint32_t other : dataset.train) {
    if (other == photograph) continue;
    std::size_t seen = 0;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      if (!shows(dataset.photographs[other].camera, places[i])) continue;
      ++seen_by[i];
      ++seen;
    }
    coverage.cameras += 2 * seen >= kPlaces ? 1 : 0;
  }
  const auto by_two = std::ranges::count_if(seen_by, [](int cameras) { return cameras >= 2; });
  coverage.seen = static_cast<double>(by_two) / static_cast<double>(kPlaces);
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
