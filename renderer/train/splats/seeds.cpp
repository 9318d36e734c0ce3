#include "train/splats/seeds.h"

#include <limits>
#include <utility>

#include "train/splats/neighbours.h"

namespace mote {
namespace {

/// A time of a splat of a random start. Some are outside of the scene's times, so that its
/// beginning and its end have as many as its middle (Yang et al. 2024).
double random_time(const SceneTimes& times, Random& random) {
  return times.duration_s * random.uniform(-0.1, 1.1);
}

void add_seed(const Seeds& from, std::size_t i, Seeds& to) {
  to.positions.push_back(from.positions[i]);
  to.colors.push_back(from.colors[i]);
  to.times_s.push_back(from.times_s[i]);
  if (!from.velocities.empty()) to.velocities.push_back(from.velocities[i]);
}

}  // namespace

void keep_moment(Seeds& seeds, double time_s) {
  SceneTimes times;
  for (const double own_s : seeds.times_s) {
    if (!std::isnan(own_s)) times.duration_s = std::max(times.duration_s, own_s);
  }
  const MotionSeeds timed = seeds.with_times(times);
  const double gap_s = moment_gap(timed);
  if (!(gap_s > 0)) return;
  const std::vector<bool> still = stand_still(timed);
  Seeds kept;
  for (std::size_t i = 0; i < still.size(); ++i) {
    const double away_s = std::abs(seeds.times_s[i] - time_s);
    if (still[i] || std::isnan(away_s) || away_s <= gap_s / 2) add_seed(seeds, i, kept);
  }
  seeds = std::move(kept);
}

void thin_always(Seeds& seeds, std::size_t most, Random& random) {
  const std::size_t always = seeds.always();
  if (always <= most) return;
  Seeds kept;
  std::size_t kept_always = 0;
  const double share = static_cast<double>(most) / static_cast<double>(always);
  for (std::size_t i = 0; i < seeds.positions.size(); ++i) {
    const bool is_kept = random.uniform() < share;
    if (std::isnan(seeds.times_s[i])) {
      if (!is_kept || kept_always >= most) continue;
      ++kept_always;
    }
    add_seed(seeds, i, kept);
  }
  seeds = std::move(kept);
}

void spread_in_time(Seeds& seeds, std::size_t count, std::size_t most_always,
                    const SceneTimes& times, Random& random) {
  const std::size_t given = seeds.positions.size();
  const bool has_time =
      std::ranges::any_of(seeds.times_s, [](double time_s) { return !std::isnan(time_s); });
  if (!has_time && given >= count) {
    const double always =
        std::min(0.5, static_cast<double>(most_always) / static_cast<double>(given));
    for (std::size_t i = 0; i < given; ++i) {
      const auto place = static_cast<double>(i);
      if (std::floor((place + 1) * always) > std::floor(place * always)) continue;
      seeds.times_s[i] = random_time(times, random);
    }
  }
  if (given >= count) return;
  std::vector<std::uint32_t> parents;
  const bool all = !has_time || seeds.always() + (count - given) <= most_always;
  for (std::uint32_t i = 0; i < given; ++i) {
    if (all || !std::isnan(seeds.times_s[i])) parents.push_back(i);
  }
  const std::vector<double> distances = neighbour_distances(seeds.positions);
  for (std::size_t i = given; i < count; ++i) {
    const std::uint32_t near = parents[random.below(static_cast<std::uint32_t>(parents.size()))];
    const double x = random.normal(), y = random.normal(), z = random.normal();
    seeds.positions.push_back(seeds.positions[near] + glm::dvec3(x, y, z) * distances[near]);
    seeds.colors.push_back(seeds.colors[near]);
    seeds.velocities.push_back(seeds.velocities[near]);
    const double time_s = seeds.times_s[near];
    seeds.times_s.push_back(has_time ? time_s : random_time(times, random));
  }
}

void spread_between_moments(Seeds& seeds, const SceneTimes& times, Random& random) {
  const double gap_s = moment_gap(seeds.with_times(times));
  for (std::size_t i = 0; i < seeds.times_s.size(); ++i) {
    if (std::isnan(seeds.times_s[i])) continue;
    const double time_s = seeds.times_s[i] + gap_s * random.uniform(-0.5, 0.5);
    seeds.positions[i] += seeds.velocities[i] * (time_s - seeds.times_s[i]);
    seeds.times_s[i] = time_s;
  }
}

}  // namespace mote
