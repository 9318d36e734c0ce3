#include "train/splats/initial_directions.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <vector>

#include "core/error.h"

namespace mote {
namespace {

/// Standard deviation of the first directions. The lowest first weight is e^(-0.35) for a splat
/// that is seen from opposite sides, and 0.9 to 1 for most.
constexpr double kFirstSpread = 2;

/// Some training cameras, evenly chosen.
std::vector<const Camera*> some_cameras(const Dataset& dataset) {
  constexpr std::size_t kMost = 64;
  std::vector<const Camera*> cameras;
  const std::size_t stride = dataset.train.size() / kMost + 1;
  for (std::size_t i = 0; i < dataset.train.size(); i += stride) {
    cameras.push_back(&dataset.photographs[dataset.train[i]].camera);
  }
  return cameras;
}

/// The mean of the unit vectors from the cameras to a point.
glm::dvec3 mean_direction(const std::vector<const Camera*>& cameras, const glm::dvec3& point) {
  glm::dvec3 all(0), seeing(0);
  double count = 0;
  for (const Camera* camera : cameras) {
    const glm::dvec3 offset = point - camera->position_world();
    const double distance = glm::length(offset);
    if (!(distance > 0)) continue;
    all += offset / distance;
    if (!is_in_view(*camera, point)) continue;
    seeing += offset / distance;
    ++count;
  }
  if (count > 0) return seeing / count;
  return all / std::max(static_cast<double>(cameras.size()), 1.0);
}

}  // namespace

bool is_in_view(const Camera& camera, const glm::dvec3& point) {
  const glm::dvec3 p = camera.cam_from_world * point + camera.translation;
  if (!(p.z > 0)) return false;
  const double u = camera.focal_px.x * p.x / p.z + camera.center_px.x;
  const double v = camera.focal_px.y * p.y / p.z + camera.center_px.y;
  return u >= 0 && v >= 0 && u < camera.width && v < camera.height;
}

void set_first_directions(const Dataset& dataset, SplatCloud& cloud) {
  CHECK(cloud.info().is_directional());
  constexpr Field kMean[] = {Field::mean_x, Field::mean_y, Field::mean_z};
  constexpr Field kDirection[] = {Field::direction_mean_x, Field::direction_mean_y,
                                  Field::direction_mean_z};
  const std::vector<const Camera*> cameras = some_cameras(dataset);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    glm::dvec3 mean;
    for (int k = 0; k < 3; ++k) mean[k] = static_cast<double>(cloud.at(i, kMean[k]));
    const glm::dvec3 direction = mean_direction(cameras, mean);
    for (int k = 0; k < 3; ++k) cloud.at(i, kDirection[k]) = static_cast<float>(direction[k]);
    cloud.at(i, Field::log_direction_sigma) = static_cast<float>(std::log(kFirstSpread));
    for (const Field field : cloud.info().stored()) {
      if (group_of(field) == RateGroup::slope) cloud.at(i, field) = 0;
    }
  }
}

SplatCloud with_directions(const SplatCloud& splats, const Dataset& dataset) {
  CHECK(splats.motion() == SplatMotion::still);
  SplatCloud cloud(splats.count(), {splats.kind(), splats.sh_degree(), SplatMotion::conditional});
  cloud.antialiased = splats.antialiased;
  cloud.warnings = splats.warnings;
  for (std::size_t b = 0; b < splats.block_count(); ++b) {
    // The fields of a motion follow those of the kind.
    std::copy_n(splats.geometry_block(b), splats.geometry_stride(), cloud.geometry_block(b));
    std::copy_n(splats.sh_block(b), splats.sh_stride(), cloud.sh_block(b));
  }
  set_first_directions(dataset, cloud);
  return cloud;
}

}  // namespace mote
