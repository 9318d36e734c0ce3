#include "splats/extent.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

namespace mote {
namespace {

constexpr std::size_t kMaxSamples = std::size_t{1} << 17;
/// Quantile on each side of an axis that the centre excludes.
constexpr double kTail = 0.1;
/// Radius of a single object, and factor on the median radius for one with surroundings.
constexpr double kObjectQuantile = 0.98, kMedianFactor = 2;
/// In radii of the scene: radius of the probe that finds the surface, and distance of the close-up
/// view from the surface.
constexpr double kProbeRadius = 0.1, kCloseupDistance = 0.2;
/// The surface is where this fraction of the opacity along the axis lies in front.
constexpr double kSurfaceQuantile = 0.1;

using Sample = SceneSamples::Sample;

struct Weighted {
  double value, weight;
};

SceneSamples samples_of(const SplatCloud& cloud) {
  SceneSamples samples(cloud.count());
  samples.add(cloud);
  return samples;
}

/// Rounds as the stored position of a splat is rounded.
glm::dvec3 placed(const glm::dvec3& mean, const Similarity& world_from_cloud) {
  if (world_from_cloud == Similarity{}) return mean;
  const glm::dmat3 linear = world_from_cloud.rotation * world_from_cloud.scale;
  return glm::dvec3(glm::vec3(linear * mean + world_from_cloud.translation));
}

/// The smallest value such that at least `quantile` of the weight lies at or below it.
double weighted_quantile(std::vector<Weighted> values, double quantile) {
  std::sort(values.begin(), values.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double total = 0, below = 0;
  for (const Weighted& entry : values) total += entry.weight;
  for (const Weighted& entry : values) {
    below += entry.weight;
    if (below >= quantile * total) return entry.value;
  }
  return values.back().value;
}

}  // namespace

SceneSamples::SceneSamples(std::size_t splats)
    : stride_(std::max<std::size_t>(1, splats / kMaxSamples)) {
  samples_.reserve(splats / stride_ + 1);
}

void SceneSamples::add(const SplatCloud& cloud, const Similarity& world_from_cloud) {
  std::size_t i = next_;
  for (; i < cloud.count(); i += stride_) {
    const glm::dvec3 mean =
        placed({cloud.at(i, Field::mean_x), cloud.at(i, Field::mean_y), cloud.at(i, Field::mean_z)},
               world_from_cloud);
    const double opacity = 1 / (1 + std::exp(-double{cloud.at(i, Field::logit_opacity)}));
    if (std::isfinite(glm::dot(mean, mean)) && opacity > 0) samples_.push_back({mean, opacity});
  }
  next_ = i - cloud.count();
}

SceneExtent scene_extent(const SplatCloud& cloud) {
  return scene_extent(samples_of(cloud));
}

SceneExtent scene_extent(const SceneSamples& sampled) {
  const std::vector<Sample>& samples = sampled.all();
  if (samples.empty()) return {};
  SceneExtent extent;
  std::vector<Weighted> values(samples.size());
  const auto quantile_of = [&](double quantile, auto&& value_of) {
    std::transform(samples.begin(), samples.end(), values.begin(), [&](const Sample& sample) {
      return Weighted{value_of(sample.mean_world), sample.opacity};
    });
    return weighted_quantile(values, quantile);
  };
  for (int axis = 0; axis < 3; ++axis) {
    const auto along = [axis](const glm::dvec3& mean) { return mean[axis]; };
    extent.center[axis] = 0.5 * (quantile_of(kTail, along) + quantile_of(1 - kTail, along));
  }
  const auto distance = [center = extent.center](const glm::dvec3& mean) {
    return glm::length(mean - center);
  };
  extent.radius =
      std::min(quantile_of(kObjectQuantile, distance), kMedianFactor * quantile_of(0.5, distance));
  if (!(extent.radius > 0)) extent.radius = 1;
  return extent;
}

View closeup_view(const SplatCloud& cloud, const SceneExtent& extent, const OrbitOptions& options) {
  return closeup_view(samples_of(cloud), extent, options);
}

View closeup_view(const SceneSamples& samples, const SceneExtent& extent,
                  const OrbitOptions& options) {
  const glm::dvec3 eye = orbit_eye(extent, options, 0);
  const glm::dvec3 forward = glm::normalize(extent.center - eye);
  std::vector<Weighted> depths;
  for (const Sample& sample : samples.all()) {
    const glm::dvec3 offset = sample.mean_world - eye;
    const double depth = glm::dot(offset, forward);
    if (depth > 0 && glm::length(offset - depth * forward) < kProbeRadius * extent.radius) {
      depths.push_back({depth, sample.opacity});
    }
  }
  const double surface = depths.empty() ? glm::length(extent.center - eye)
                                        : weighted_quantile(std::move(depths), kSurfaceQuantile);
  View view{"closeup", orbit_camera(options)};
  const glm::dvec3 near_eye = eye + (surface - kCloseupDistance * extent.radius) * forward;
  look_at(view.camera, near_eye, near_eye + forward, options.up_world);
  return view;
}

}  // namespace mote
