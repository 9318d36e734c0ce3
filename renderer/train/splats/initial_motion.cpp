#include "train/splats/initial_motion.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <map>

#include "splats/splat_geometry.h"
#include "train/splats/neighbours.h"

namespace mote {
namespace {

/// Shares of the duration: the least standard deviation of the first lives, and the least time over
/// which a velocity is measured.
constexpr double kLeastSigma = 0.1, kLeastGap = 1.0 / 30;
/// Standard deviation of the life of a seed without a time, in durations.
constexpr double kAlwaysSigma = 3;
constexpr double kPlateau = 0.25;  // of the standard deviation
constexpr double kLifeSigmas = 3;  // length of a life in standard deviations, about
/// Number of seeds of one moment whose movements are averaged.
constexpr std::size_t kMovingTogether = 12;

/// The seeds of each moment.
using Moments = std::map<double, std::vector<std::uint32_t>>;

Moments moments_of(const MotionSeeds& seeds) {
  Moments moments;
  for (std::uint32_t i = 0; i < seeds.times_s.size(); ++i) {
    if (!std::isnan(seeds.times_s[i])) moments[seeds.times_s[i]].push_back(i);
  }
  return moments;
}

std::vector<glm::dvec3> positions_of(const MotionSeeds& seeds,
                                     const std::vector<std::uint32_t>& of) {
  std::vector<glm::dvec3> positions;
  positions.reserve(of.size());
  for (const std::uint32_t i : of) positions.push_back(seeds.positions[i]);
  return positions;
}

/// The usual time between moments with seeds; 0 if there is at most one.
double gap_of(const Moments& moments) {
  if (moments.size() < 2) return 0;
  return (moments.rbegin()->first - moments.begin()->first) /
         static_cast<double>(moments.size() - 1);
}

}  // namespace

bool has_times(const Dataset& dataset) {
  return std::ranges::any_of(dataset.train, [&](std::uint32_t i) {
    return dataset.photographs[i].time_s != dataset.photographs[dataset.train.front()].time_s;
  });
}

bool has_moving_points(const Dataset& dataset) {
  const std::vector<double>& times_s = dataset.points.times_s;
  return std::ranges::any_of(times_s, [&](double time_s) { return time_s != times_s.front(); });
}

SceneTimes scene_times(const Dataset& dataset) {
  SceneTimes times{.duration_s = 0, .frames_per_second = dataset.time.frames_per_second};
  for (const Photograph& photograph : dataset.photographs) {
    times.duration_s = std::max(times.duration_s, photograph.time_s);
  }
  return times;
}

std::vector<bool> stand_still(const MotionSeeds& seeds,
                              std::span<const std::array<double, 3>> colors) {
  constexpr double kNear = 1.5;   // in distances to the neighbours of the same moment
  constexpr double kAlike = 0.2;  // largest difference of a channel
  std::vector<bool> still(seeds.positions.size(), false);
  const Moments moments = moments_of(seeds);
  if (moments.size() < 3) return still;
  std::vector<const std::vector<std::uint32_t>*> in_order;
  for (const auto& [time_s, of] : moments) in_order.push_back(&of);
  const auto alike = [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (!(std::abs(colors[a][c] - colors[b][c]) < kAlike)) return false;
    }
    return true;
  };
  for (std::size_t m = 0; m < in_order.size(); ++m) {
    const std::vector<std::uint32_t>& own = *in_order[m];
    const std::vector<glm::dvec3> here = positions_of(seeds, own);
    const std::vector<double> near = neighbour_distances(here);
    std::vector<int> seen_again(own.size(), 0);
    for (const std::size_t third : {std::size_t{1}, std::size_t{2}}) {
      const auto& other = *in_order[(m + third * in_order.size() / 3) % in_order.size()];
      const std::vector<glm::dvec3> there = positions_of(seeds, other);
      const auto nearest = nearest_points(there, here, 1);
      for (std::size_t i = 0; i < own.size(); ++i) {
        const std::uint32_t found = nearest[i].front();
        const bool is_near = glm::distance(there[found], here[i]) < kNear * near[i];
        seen_again[i] += is_near && alike(own[i], other[found]) ? 1 : 0;
      }
    }
    for (std::size_t i = 0; i < own.size(); ++i) still[own[i]] = seen_again[i] == 2;
  }
  return still;
}

std::vector<glm::dvec3> first_velocities(const MotionSeeds& seeds) {
  std::vector<glm::dvec3> velocities(seeds.positions.size(), glm::dvec3(0));
  const Moments moments = moments_of(seeds);
  for (auto now = moments.begin(); now != moments.end(); ++now) {
    const auto next = moments.lower_bound(now->first + kLeastGap * seeds.times.duration_s);
    if (next == moments.end() || next == now) continue;
    const std::vector<glm::dvec3> here = positions_of(seeds, now->second);
    const std::vector<glm::dvec3> there = positions_of(seeds, next->second);
    const std::vector<std::vector<std::uint32_t>> nearest = nearest_points(there, here, 1);
    const std::vector<std::vector<std::uint32_t>> together =
        nearest_points(here, here, kMovingTogether);
    for (std::size_t i = 0; i < here.size(); ++i) {
      glm::dvec3 sum(0);
      for (const std::uint32_t k : together[i]) sum += there[nearest[k].front()] - here[k];
      velocities[now->second[i]] =
          sum / (static_cast<double>(together[i].size()) * (next->first - now->first));
    }
  }
  return velocities;
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
  const std::vector<glm::dvec3> positions(splats.count());
  const std::vector<double> always(splats.count(), kAlways);
  set_first_motion({.positions = positions, .times_s = always, .times = times}, cloud);
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

void set_first_motion(const MotionSeeds& seeds, SplatCloud& cloud) {
  cloud.times = seeds.times;
  const double duration_s = seeds.times.duration_s;
  const double sigma = std::max(1.5 * gap_of(moments_of(seeds)), kLeastSigma * duration_s);
  const double living = std::clamp(kLifeSigmas * sigma / std::max(duration_s, 1e-9), 0.05, 1.0);
  const std::vector<glm::dvec3> velocities = first_velocities(seeds);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const bool always = std::isnan(seeds.times_s[i]);
    const double own_sigma = always ? kAlwaysSigma * duration_s : sigma;
    MotionValues motion{};
    motion[Field::time_mean] = static_cast<float>(always ? duration_s / 2 : seeds.times_s[i]);
    motion[Field::log_time_sigma] = static_cast<float>(std::log(own_sigma));
    motion[Field::log_time_plateau] = static_cast<float>(std::log(kPlateau * own_sigma));
    motion[Field::velocity_x] = static_cast<float>(velocities[i].x);
    motion[Field::velocity_y] = static_cast<float>(velocities[i].y);
    motion[Field::velocity_z] = static_cast<float>(velocities[i].z);
    store_motion(cloud.info().planes, motion, cloud.geometry_block(0), i);
    if (always) continue;
    // The size is that of the gaps between seeds of all moments, but only a share lives together.
    for (const Field field : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
      cloud.at(i, field) += static_cast<float>(-0.5 * std::log(living));
    }
  }
}

}  // namespace mote
