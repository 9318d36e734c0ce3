#include "io/datasets/dataset_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <glm/geometric.hpp>

#include "io/datasets/colmap.h"
#include "io/datasets/colmap_points.h"
#include "io/datasets/point_ply.h"
#include "scene/scene_layout.h"

namespace mote {
namespace {

/// Limit on the distance of points from the cameras, in extents. Splats beyond it cannot be placed
/// with float precision.
constexpr double kFarthestExtents = 1e5;

PointCloud transforms_points(const std::filesystem::path& folder, const TransformsFile& cameras,
                             Dataset& dataset) {
  if (!cameras.point_file.empty()) {
    const std::filesystem::path path = folder / cameras.point_file;
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return read_point_ply(path, dataset.warnings);
    dataset.warnings.push_back(path.string() + ": this point file of the dataset does not exist");
    return {};
  }
  if (!cameras.applied_transform) return {};
  for (const char* model : {"colmap/sparse/0", "sparse/0"}) {
    if (!is_colmap_model(folder / model)) continue;
    PointCloud points = read_colmap_points(folder / model, dataset.warnings);
    for (glm::dvec3& position : points.positions) {
      position = glm::dvec3(*cameras.applied_transform * glm::dvec4(position, 1));
    }
    return points;
  }
  return {};
}

/// The points of a folder of several cameras: points.ply, otherwise those of the format.
PointCloud rig_points(const CameraLocation& location, std::vector<std::string>& warnings) {
  const std::filesystem::path path = location.rig_folder / "points.ply";
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return read_point_ply(path, warnings);
  return location.rig->points ? location.rig->points(location.rig_folder, warnings) : PointCloud{};
}

/// Keeps the points that satisfy `keep`, in order.
template <class Keep>
std::size_t filter(PointCloud& points, const Keep& keep) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.positions.size(); ++i) {
    if (!keep(points.positions[i])) continue;
    points.positions[kept] = points.positions[i];
    points.colors[kept] = points.colors[i];
    if (!points.times_s.empty()) points.times_s[kept] = points.times_s[i];
    ++kept;
  }
  const std::size_t dropped = points.positions.size() - kept;
  points.positions.resize(kept);
  points.colors.resize(kept);
  if (!points.times_s.empty()) points.times_s.resize(kept);
  return dropped;
}

void drop_far_points(Dataset& dataset) {
  const glm::dvec3 near = dataset.photographs.front().camera.position_world();
  const double farthest = kFarthestExtents * std::max(cameras_extent(dataset), 1.0);
  const std::size_t dropped = filter(dataset.points, [&](const glm::dvec3& position) {
    return glm::length(position - near) <= farthest;
  });
  if (dropped > 0) {
    dataset.warnings.push_back(
        fmt::format("{} points lie extremely far away and are left out", dropped));
  }
}

bool is_seen(const Camera& camera, const glm::dvec3& position) {
  const glm::dvec3 p = camera.cam_from_world * position + camera.translation;
  const glm::dvec2 px = camera.focal_px * glm::dvec2(p) / p.z + camera.center_px;
  return p.z > 0 && px.x >= 0 && px.y >= 0 && px.x <= camera.width && px.y <= camera.height;
}

/// Warns where most points are visible in no training photograph: then poses or axes are wrong, or
/// many photographs are missing. Checks a sample of the points.
void warn_of_unseen_points(Dataset& dataset) {
  constexpr std::size_t kLookedAt = 2000;
  const auto& positions = dataset.points.positions;
  const std::size_t stride = positions.size() / kLookedAt + 1;
  std::size_t looked_at = 0, unseen = 0;
  for (std::size_t i = 0; i < positions.size(); i += stride, ++looked_at) {
    const bool seen = std::ranges::any_of(dataset.train, [&](std::uint32_t index) {
      return is_seen(dataset.photographs[index].camera, positions[i]);
    });
    unseen += seen ? 0 : 1;
  }
  if (2 * unseen <= looked_at) return;
  const std::string sample = stride > 1 ? fmt::format(" sampled from {},", positions.size()) : "";
  dataset.warnings.push_back(
      fmt::format("of {} points{} {} are visible in no training photograph; poses and points may "
                  "not belong together",
                  looked_at, sample, unseen));
}

void warn_of_one_place(Dataset& dataset) {
  if (dataset.train.size() < 2 || !measure_layout(dataset).in_one_place) return;
  dataset.warnings.push_back(
      fmt::format("all {} training cameras have the same position, so distances cannot be "
                  "determined; the poses may be wrong",
                  dataset.train.size()));
}

}  // namespace

PointCloud read_points(const CameraLocation& location, const TransformsFile& cameras,
                       Dataset& dataset) {
  if (location.rig) return rig_points(location, dataset.warnings);
  return location.colmap_model.empty()
             ? transforms_points(location.transforms.front().parent_path(), cameras, dataset)
             : read_colmap_points(location.colmap_model, dataset.warnings);
}

void check_points(Dataset& dataset) {
  drop_far_points(dataset);
  warn_of_unseen_points(dataset);
  warn_of_one_place(dataset);
  dataset.notes.push_back(dataset.points.positions.empty()
                              ? "no initial points"
                              : fmt::format("{} points", dataset.points.positions.size()));
}

}  // namespace mote
