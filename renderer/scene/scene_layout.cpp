#include "scene/scene_layout.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <span>
#include <vector>

#include "core/median.h"

namespace mote {
namespace {

struct Axis {
  glm::dvec3 origin, direction;
};

std::vector<Axis> training_axes(const Dataset& dataset) {
  std::vector<Axis> axes;
  for (const std::uint32_t index : dataset.train) {
    const Camera& camera = dataset.photographs[index].camera;
    const Axis axis{camera.position_world(), glm::transpose(camera.cam_from_world)[2]};
    if (std::isfinite(glm::dot(axis.origin, axis.origin)) && glm::length(axis.direction) > 0.5) {
      axes.push_back(axis);
    }
  }
  return axes;
}

/// Median depth of the points in front of the cameras, from a sample of the points; 0 without
/// points.
double median_point_depth(std::span<const Axis> axes, const PointCloud& points) {
  constexpr std::size_t kMostCameras = 32, kMostPoints = 1000;
  const std::size_t camera_stride = axes.size() / kMostCameras + 1;
  const std::size_t point_stride = points.positions.size() / kMostPoints + 1;
  std::vector<double> depths;
  for (std::size_t a = 0; a < axes.size(); a += camera_stride) {
    for (std::size_t p = 0; p < points.positions.size(); p += point_stride) {
      const double depth = glm::dot(points.positions[p] - axes[a].origin, axes[a].direction);
      if (depth > 0 && std::isfinite(depth)) depths.push_back(depth);
    }
  }
  return depths.empty() ? 0 : median(std::move(depths));
}

/// The point nearest to all axes by least squares: sum of (I - d d^T) (p - o) = 0. Returns false if
/// the axes are too parallel to determine it.
bool nearest_to_axes(std::span<const Axis> axes, glm::dvec3& nearest) {
  glm::dmat3 matrix(0);
  glm::dvec3 right(0);
  for (const Axis& axis : axes) {
    const glm::dmat3 across = glm::dmat3(1) - glm::outerProduct(axis.direction, axis.direction);
    matrix += across;
    right += across * axis.origin;
  }
  const double count = static_cast<double>(axes.size());
  // The determinant of the mean is 0 for parallel axes and 8/27 for axes in all directions.
  if (glm::determinant(matrix / count) < 1e-4) return false;
  nearest = glm::inverse(matrix) * right;
  return true;
}

}  // namespace

SceneLayout measure_layout(const Dataset& dataset) {
  SceneLayout layout;
  const std::vector<Axis> axes = training_axes(dataset);
  if (axes.empty()) return layout;
  const double depth = median_point_depth(axes, dataset.points);
  const double cameras = cameras_extent(dataset);
  const double seen = depth > 0 ? depth : std::max(cameras, 1.0);

  glm::dvec3 ahead(0), place(0);
  for (const Axis& axis : axes) {
    ahead += axis.direction / static_cast<double>(axes.size());
    place += axis.origin / static_cast<double>(axes.size());
  }
  std::size_t in_front = 0;
  if (nearest_to_axes(axes, layout.focus)) {
    for (const Axis& axis : axes) {
      in_front += glm::dot(layout.focus - axis.origin, axis.direction) > 0;
    }
  }
  // Cameras that look outwards or in parallel have no focus; their subject lies ahead of them.
  if (in_front * 2 <= axes.size()) layout.focus = place + ahead * seen;

  std::vector<double> distances;
  for (const Axis& axis : axes) distances.push_back(glm::distance(axis.origin, layout.focus));
  layout.distance = std::max(median(std::move(distances)), 1e-6);
  if (layout.distance < 1e-3 * seen) layout.distance = seen;
  layout.in_one_place = !(cameras > 1e-3 * seen);
  layout.extent = layout.in_one_place ? 0.1 * seen : cameras;
  return layout;
}

}  // namespace mote
