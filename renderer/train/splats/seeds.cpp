#include "train/splats/seeds.h"

#include <cstdint>
#include <utility>

#include "train/splats/neighbours.h"

namespace mote {
namespace {

/// Tenths of the first splats that seeds with times get, if there are others.
constexpr std::size_t kTenthsWithTimes = 7;

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
  if (!from.move.empty()) to.move.push_back(from.move[i]);
}

bool has_time(const Seeds& seeds, std::size_t i) {
  return !std::isnan(seeds.times_s[i]);
}

/// Adds a seed beside seed `near`, at about the distance of its neighbours.
void add_near(Seeds& seeds, std::uint32_t near, const std::vector<double>& distances,
              Random& random) {
  const double x = random.normal(), y = random.normal(), z = random.normal();
  Seeds beside;
  add_seed(seeds, near, beside);
  beside.positions.front() += glm::dvec3(x, y, z) * distances[near];
  add_seed(beside, 0, seeds);
}

/// Drops seeds among those of `candidates`, at random, until `most` of these are left.
void thin(Seeds& seeds, const std::vector<std::uint32_t>& candidates, std::size_t most,
          Random& random) {
  if (candidates.size() <= most) return;
  std::vector<std::uint32_t> dropped = candidates;
  for (std::size_t k = 0; k < most; ++k) {  // to the end, where they are kept
    const auto left = static_cast<std::uint32_t>(dropped.size() - k);
    std::swap(dropped[random.below(left)], dropped[left - 1]);
  }
  dropped.resize(dropped.size() - most);
  std::vector<bool> is_dropped(seeds.positions.size(), false);
  for (const std::uint32_t i : dropped) is_dropped[i] = true;
  Seeds kept;
  for (std::size_t i = 0; i < is_dropped.size(); ++i) {
    if (!is_dropped[i]) add_seed(seeds, i, kept);
  }
  seeds = std::move(kept);
}

/// The seeds for which `is_wanted` holds.
template <typename WANTED>
std::vector<std::uint32_t> seeds_where(const Seeds& seeds, WANTED is_wanted) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < seeds.positions.size(); ++i) {
    if (is_wanted(i)) found.push_back(i);
  }
  return found;
}

/// Spreads seeds of which none has a time.
void spread_without_times(Seeds& seeds, const SeedNumbers& numbers, const SceneTimes& times,
                          Random& random) {
  thin(seeds, seeds_where(seeds, [](std::uint32_t) { return true; }), numbers.all(), random);
  const std::size_t given = seeds.positions.size(), added = numbers.all() - given;
  const std::size_t always = std::min(numbers.always, added > 0 ? given : given / 2);
  for (std::size_t i = 0; i < given; ++i) {
    const bool stays = (i + 1) * always / given > i * always / given;
    if (!stays) seeds.times_s[i] = random_time(times, random);
  }
  if (added == 0) return;
  const std::vector<double> distances = neighbour_distances(seeds.positions);
  for (std::size_t i = 0; i < added; ++i) {
    add_near(seeds, random.below(static_cast<std::uint32_t>(given)), distances, random);
    seeds.times_s.back() = random_time(times, random);
  }
}

}  // namespace

void keep_moment(Seeds& seeds, double time_s, const SceneTimes& times, std::size_t most,
                 Random& random) {
  const MotionSeeds timed = seeds.with_times(times);
  const double gap_s = moment_gap(timed);
  if (!(gap_s > 0)) return;
  const std::vector<bool> still = stand_still(timed);
  Seeds kept;
  std::vector<std::uint32_t> of_others;
  for (std::size_t i = 0; i < still.size(); ++i) {
    const double away_s = std::abs(seeds.times_s[i] - time_s);
    const bool is_own = std::isnan(away_s) || away_s <= gap_s / 2;
    if (!is_own && !still[i]) continue;
    if (!is_own) of_others.push_back(static_cast<std::uint32_t>(kept.positions.size()));
    add_seed(seeds, i, kept);
  }
  thin(kept, of_others, most, random);
  seeds = std::move(kept);
}

SeedNumbers seed_numbers(const Seeds& seeds, std::size_t count, std::size_t most_always) {
  constexpr std::size_t kMostCopies = 20;  // of a seed with a time, if other seeds can have more
  const std::size_t always = seeds.always(), with_times = seeds.positions.size() - always;
  SeedNumbers numbers;
  if (with_times == 0) {
    numbers.always = std::min(count, most_always);
  } else if (always > 0) {
    const std::size_t share = count * kTenthsWithTimes / 10;
    const std::size_t moving = std::min(share, kMostCopies * with_times);
    numbers.always = std::min(count - moving, most_always);
  }
  numbers.with_times = count - numbers.always;
  return numbers;
}

std::size_t usual_count(std::size_t always, std::size_t with_times, std::size_t least) {
  if (always == 0 || with_times == 0) return std::max(always + with_times, least);
  // In the same time, more than one are better: see "Measured" in docs/moving.md.
  constexpr std::size_t kSplatsEach = 2;
  const std::size_t moving = kSplatsEach * with_times;
  return std::max((10 * moving + kTenthsWithTimes - 1) / kTenthsWithTimes, least);
}

void spread_in_time(Seeds& seeds, const SeedNumbers& numbers, const SceneTimes& times,
                    Random& random) {
  const auto always = [&](std::uint32_t i) { return !has_time(seeds, i); };
  const auto moves = [&](std::uint32_t i) { return has_time(seeds, i) && seeds.move[i]; };
  const auto unclear = [&](std::uint32_t i) { return has_time(seeds, i) && !seeds.move[i]; };
  if (seeds.always() == seeds.positions.size()) {
    spread_without_times(seeds, numbers, times, random);
    return;
  }
  thin(seeds, seeds_where(seeds, always), numbers.always, random);
  thin(seeds, seeds_where(seeds, moves), numbers.with_times, random);
  thin(seeds, seeds_where(seeds, unclear), numbers.with_times - seeds_where(seeds, moves).size(),
       random);
  const std::size_t given = seeds.positions.size();
  if (given == numbers.all()) return;
  const std::vector<std::uint32_t> still = seeds_where(seeds, always);
  std::vector<std::uint32_t> parents = seeds_where(seeds, unclear);
  // Many seeds without a velocity show something that stands still after all.
  constexpr int kWeight = 5;
  for (const std::uint32_t i : seeds_where(seeds, moves)) parents.insert(parents.end(), kWeight, i);
  const std::vector<double> distances = neighbour_distances(seeds.positions);
  const std::size_t added_always = still.empty() ? 0 : numbers.always - still.size();
  for (std::size_t i = given; i < numbers.all(); ++i) {
    const std::vector<std::uint32_t>& from = i - given < added_always ? still : parents;
    add_near(seeds, from[random.below(static_cast<std::uint32_t>(from.size()))], distances, random);
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
