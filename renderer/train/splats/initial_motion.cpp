#include "train/splats/initial_motion.h"

#include <algorithm>
#include <cmath>

namespace mote {
namespace {

/// The least standard deviation of the first lives, in durations.
constexpr double kLeastSigma = 0.05;
/// Standard deviation of the life of a seed without a time, in durations.
constexpr double kAlwaysSigma = 3;
constexpr double kPlateau = 0.25;  // of the standard deviation
constexpr double kLifeSigmas = 3;  // length of a life in standard deviations, about
/// The same of an opaque splat with that plateau, at most: 2 * (kPlateau + sqrt(2 ln 255)).
constexpr double kLongestLifeSigmas = 7.2;

}  // namespace

bool has_times(const Dataset& dataset) {
  return std::ranges::any_of(dataset.train, [&](std::uint32_t i) {
    return dataset.photographs[i].time_s != dataset.photographs[dataset.train.front()].time_s;
  });
}

bool has_moving_points(const Dataset& dataset) {
  return moment_gap({.positions = {},
                     .times_s = dataset.points.times_s,
                     .colors = {},
                     .times = scene_times(dataset)}) > 0;
}

SceneTimes scene_times(const Dataset& dataset) {
  SceneTimes times{.duration_s = 0, .frames_per_second = dataset.time.frames_per_second};
  for (const Photograph& photograph : dataset.photographs) {
    times.duration_s = std::max(times.duration_s, photograph.time_s);
  }
  return times;
}

SplatCloud with_motion(const SplatCloud& splats, SplatMotion motion, const SceneTimes& times) {
  SplatCloud cloud(splats.count(), {splats.kind(), splats.sh_degree(), motion});
  cloud.antialiased = splats.antialiased;
  cloud.warnings = splats.warnings;
  cloud.times = splats.times;
  for (std::size_t i = 0; i < splats.count(); ++i) {
    for (const Field field : cloud.info().stored()) {
      cloud.at(i, field) = splats.info().stores(field) ? splats.at(i, field) : 0.0f;
    }
    for (int k = 0; k < splats.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) = splats.sh(i, k, c);
    }
  }
  if (splats.info().moves()) return cloud;
  const std::vector<glm::dvec3> origin(splats.count(), glm::dvec3(0));
  const std::vector<double> always(splats.count(), kAlways);
  set_first_motion({.positions = origin, .times_s = always, .colors = {}, .times = times}, origin,
                   cloud);
  return cloud;
}

void remove_velocities(SplatCloud& cloud) {
  if (!cloud.info().moves()) return;
  for (int f = static_cast<int>(Field::velocity_x); f < kFields; ++f) {
    const auto field = static_cast<Field>(f);
    if (cloud.info().planes.of(field) < 0) continue;
    for (std::size_t i = 0; i < cloud.count(); ++i) cloud.at(i, field) = 0;
  }
}

double usual_sigma_s(const MotionSeeds& seeds) {
  return std::max(1.5 * moment_gap(seeds), kLeastSigma * seeds.times.duration_s);
}

double first_sigma_s(double usual_s, double longest_life_s) {
  return std::min(usual_s, longest_life_s / kLongestLifeSigmas);
}

MotionValues first_motion(double time_s, double sigma_s, const glm::dvec3& velocity) {
  MotionValues motion{};
  motion[Field::time_mean] = static_cast<float>(time_s);
  motion[Field::log_time_sigma] = static_cast<float>(std::log(sigma_s));
  motion[Field::log_time_plateau] = static_cast<float>(std::log(kPlateau * sigma_s));
  motion[Field::velocity_x] = static_cast<float>(velocity.x);
  motion[Field::velocity_y] = static_cast<float>(velocity.y);
  motion[Field::velocity_z] = static_cast<float>(velocity.z);
  return motion;
}

void set_first_motion(const MotionSeeds& seeds, std::span<const glm::dvec3> velocities,
                      SplatCloud& cloud) {
  cloud.times = seeds.times;
  const double duration_s = seeds.times.duration_s;
  const double sigma = first_sigma_s(usual_sigma_s(seeds), seeds.longest_life_s);
  const double living = std::clamp(kLifeSigmas * sigma / std::max(duration_s, 1e-9), 0.05, 1.0);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const bool always = std::isnan(seeds.times_s[i]);
    const MotionValues motion =
        always ? first_motion(duration_s / 2, kAlwaysSigma * duration_s, velocities[i])
               : first_motion(seeds.times_s[i], sigma, velocities[i]);
    store_motion(cloud.info().planes, motion, cloud.geometry_block(0), i);
    if (always) continue;
    // The size is that of the gaps between seeds of all moments, but only a share lives together.
    for (const Field field : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
      cloud.at(i, field) += static_cast<float>(-0.5 * std::log(living));
    }
  }
}

}  // namespace mote
