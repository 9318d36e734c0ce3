// The movement of points that were found moment by moment, without tracks. A patch of points is
// registered with the points of other moments by nearest neighbours in place and colour (iterative
// closest points, Besl and McKay 1992). The mean of a patch is shrunk by the positive-part rule of
// James and Stein (1961): sparse points that stand still would get velocities of their distances
// over the time between two moments.
#include "train/splats/seed_movement.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <map>
#include <memory>
#include <nanoflann.hpp>

#include "core/interrupt.h"
#include "core/parallel.h"
#include "train/splats/neighbours.h"

namespace mote {
namespace {

/// Time to the moments that a moment is compared with, s, the share of it that may be missing,
/// since the middles of moments of several clocks vary, and their number on each side.
constexpr double kLeastGap_s = 1.0 / 30;
constexpr double kGapSlack = 0.25;
constexpr int kMomentsOnASide = 3;
/// Number of seeds of a patch, and number of those that say something of their own: neighbours
/// often have the same nearest seed.
constexpr std::size_t kPatch = 12;
constexpr double kIndependent = 4;
constexpr int kIterations = 12;
/// Difference of a colour's channel that counts like the usual distance of neighbours.
constexpr double kAlikeColor = 0.2;
/// Share of the mean squared distance to the seeds of other moments that is left along a velocity.
constexpr double kClearlyNearer = 0.85;
/// The largest mean squared distance that is left, in squares of the usual distance of neighbours.
constexpr double kFarthest = 8;
/// Longest moment, in frames: less than one, so that successive frames of a camera stay apart.
constexpr double kMomentFrames = 0.9;

/// The seeds of one moment: of one time, or of cameras whose clocks differ by parts of a frame.
struct MomentSeeds {
  double first_s = 0, last_s = 0;
  std::vector<std::uint32_t> of = {};  // by time

  double time_s() const { return (first_s + last_s) / 2; }
};

/// In the order of their times; without seeds of which `left_out` holds, if it is given.
std::vector<MomentSeeds> moments_of(const MotionSeeds& seeds,
                                    const std::vector<bool>& left_out = {}) {
  std::map<double, std::vector<std::uint32_t>> of_times;
  for (std::uint32_t i = 0; i < seeds.times_s.size(); ++i) {
    const bool is_left_out = !left_out.empty() && left_out[i];
    if (!std::isnan(seeds.times_s[i]) && !is_left_out) of_times[seeds.times_s[i]].push_back(i);
  }
  const double rate = seeds.times.frames_per_second;
  const double longest_s = rate > 0 ? kMomentFrames / rate : 0;
  std::vector<MomentSeeds> moments;
  for (const auto& [time_s, of] : of_times) {
    if (moments.empty() || time_s - moments.back().first_s > longest_s) {
      moments.push_back({.first_s = time_s, .last_s = time_s, .of = {}});
    }
    MomentSeeds& moment = moments.back();
    moment.last_s = time_s;
    moment.of.insert(moment.of.end(), of.begin(), of.end());
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

/// A place and a colour in the units of a place.
using PlaceAndColor = std::array<double, 6>;

PlaceAndColor joined(const glm::dvec3& place, const std::array<double, 3>& color, double unit) {
  return {place.x, place.y, place.z, color[0] * unit, color[1] * unit, color[2] * unit};
}

/// Seeds of one moment, with the interface that nanoflann requires.
struct ColoredPoints {
  std::vector<PlaceAndColor> values;

  std::size_t kdtree_get_point_count() const { return values.size(); }
  double kdtree_get_pt(std::size_t index, std::size_t axis) const { return values[index][axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

using ColoredTree =
    nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, ColoredPoints>,
                                        ColoredPoints, 6, std::uint32_t>;

/// One moment, ready to be compared with others.
class SeedMoment {
 public:
  SeedMoment(const MotionSeeds& seeds, const MomentSeeds& moment, double unit)
      : time_s(moment.time_s()), of(moment.of), places(positions_of(seeds, of)) {
    times_s_.reserve(of.size());
    points_.values.reserve(of.size());
    for (const std::uint32_t i : of) {
      times_s_.push_back(seeds.times_s[i]);
      points_.values.push_back(joined(seeds.positions[i], seeds.colors[i], unit));
    }
    tree_ =
        std::make_unique<ColoredTree>(6, points_, nanoflann::KDTreeSingleIndexAdaptorParams(16));
  }

  struct Match {
    glm::dvec3 place;
    double time_s = 0;
    double squared = 0;  // distance in place and colour
  };
  /// The seed that is nearest to seed `i` of another moment moved to `place`.
  Match nearest(const SeedMoment& other, std::size_t i, const glm::dvec3& place) const {
    PlaceAndColor sought = other.points_.values[i];
    for (int axis = 0; axis < 3; ++axis) sought[static_cast<std::size_t>(axis)] = place[axis];
    std::uint32_t found = 0;
    Match match;
    tree_->knnSearch(sought.data(), 1, &found, &match.squared);
    match.place = places[found];
    match.time_s = times_s_[found];
    return match;
  }
  double seed_time_s(std::size_t i) const { return times_s_[i]; }

  const double time_s;  // the middle of its times
  const std::vector<std::uint32_t> of;
  const std::vector<glm::dvec3> places;

 private:
  std::vector<double> times_s_;
  ColoredPoints points_;
  std::unique_ptr<ColoredTree> tree_;
};

/// The usual distance of neighbours of one moment.
double usual_distance(const MotionSeeds& seeds, const std::vector<MomentSeeds>& moments) {
  std::vector<double> distances;
  for (const MomentSeeds& moment : moments) {
    const std::vector<double> own = neighbour_distances(positions_of(seeds, moment.of));
    distances.insert(distances.end(), own.begin(), own.end());
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

/// The moments with which moment m is compared: on each side the first ones that are about one, two
/// and three times kLeastGap_s away.
std::vector<std::size_t> compared_moments(const std::vector<std::unique_ptr<SeedMoment>>& moments,
                                          std::size_t m) {
  std::vector<std::size_t> compared;
  const double now = moments[m]->time_s;
  std::size_t before = m, after = m;
  for (int k = 1; k <= kMomentsOnASide; ++k) {
    const double gap_s = (k - kGapSlack) * kLeastGap_s;
    std::size_t next = std::max(after, m + 1);
    while (next < moments.size() && moments[next]->time_s < now + gap_s) ++next;
    if (next < moments.size() && next != after) compared.push_back(after = next);
    std::size_t last = std::min(before, m);
    while (last < moments.size() && (last == m || moments[last]->time_s > now - gap_s)) --last;
    if (last < moments.size() && last != before) compared.push_back(before = last);
  }
  return compared;
}

/// Finds the velocities of the seeds of one moment, by those of others.
class MomentVelocities {
 public:
  /// `usual`: distance of neighbours.
  MomentVelocities(const std::vector<std::unique_ptr<SeedMoment>>& moments, std::size_t m,
                   double usual)
      : moments_(moments), now_(*moments[m]), most_(kFarthest * usual * usual) {
    if (now_.of.size() >= kPatch) compared_ = compared_moments(moments, m);
    if (!compared_.empty()) patches_ = nearest_points(now_.places, now_.places, kPatch);
  }

  struct Found {
    std::uint32_t seed;
    glm::dvec3 velocity;
  };
  std::vector<Found> find() const;

 private:
  double own_time_s(std::size_t k) const { return now_.seed_time_s(k); }
  glm::dvec3 moved(std::size_t k, const glm::dvec3& velocity, std::size_t other) const {
    return now_.places[k] + velocity * (moments_[other]->time_s - own_time_s(k));
  }
  /// For each seed the velocity to the nearest seeds of other moments, around its way so far.
  std::vector<glm::dvec3> matched(const std::vector<glm::dvec3>& velocities) const;
  /// For each patch the mean squared distance to the nearest seeds of other moments.
  std::vector<double> distances(const std::vector<glm::dvec3>& velocities) const;

  const std::vector<std::unique_ptr<SeedMoment>>& moments_;
  const SeedMoment& now_;
  double most_;  // squared distance to seeds of other moments
  std::vector<std::size_t> compared_;
  std::vector<std::vector<std::uint32_t>> patches_;
};

std::vector<glm::dvec3> MomentVelocities::matched(const std::vector<glm::dvec3>& velocities) const {
  std::vector<glm::dvec3> found(patches_.size(), glm::dvec3(0));
  for (std::size_t k = 0; k < patches_.size(); ++k) {
    double squared_s = 0;
    for (const std::size_t other : compared_) {
      const auto match = moments_[other]->nearest(now_, k, moved(k, velocities[k], other));
      const double passed_s = match.time_s - own_time_s(k);
      found[k] += (match.place - now_.places[k]) * passed_s;
      squared_s += passed_s * passed_s;
    }
    // Seeds of two cameras may be nearly of the same time: their distance is no way.
    found[k] /= std::max(squared_s, kLeastGap_s * kLeastGap_s / 4);
  }
  return found;
}

std::vector<double> MomentVelocities::distances(const std::vector<glm::dvec3>& velocities) const {
  std::vector<double> single(patches_.size()), means(patches_.size());
  for (std::size_t k = 0; k < patches_.size(); ++k) {
    for (const std::size_t other : compared_) {
      single[k] += moments_[other]->nearest(now_, k, moved(k, velocities[k], other)).squared;
    }
  }
  for (std::size_t k = 0; k < patches_.size(); ++k) {
    for (const std::uint32_t n : patches_[k]) means[k] += single[n];
    means[k] /= static_cast<double>(kPatch * compared_.size());
  }
  return means;
}

std::vector<MomentVelocities::Found> MomentVelocities::find() const {
  const std::vector<glm::dvec3> none(patches_.size(), glm::dvec3(0));
  std::vector<glm::dvec3> first, velocities = none;
  std::vector<double> share(patches_.size());
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    const std::vector<glm::dvec3> own = matched(velocities);
    for (std::size_t k = 0; k < own.size(); ++k) {
      glm::dvec3 mean(0);
      for (const std::uint32_t n : patches_[k]) mean += own[n] / static_cast<double>(kPatch);
      if (iteration == 0) {
        double variance = 0;
        for (const std::uint32_t n : patches_[k]) {
          variance += glm::dot(own[n] - mean, own[n] - mean) / static_cast<double>(kPatch);
        }
        const double length = std::max(glm::dot(mean, mean), 1e-60);
        share[k] = std::max(0.0, 1 - variance / kIndependent / length);
        velocities[k] = mean;
        continue;
      }
      // Nearest seeds shorten the way, to a third or so, but do not hide it.
      const glm::dvec3 change = mean - first[k];
      const double most = 2 * glm::length(first[k]), length = glm::length(change);
      velocities[k] = first[k] + change * (length > most ? most / length : 1.0);
    }
    if (iteration == 0) first = velocities;
  }
  const std::vector<double> still = distances(none), moved = distances(velocities);
  std::vector<Found> found;
  for (std::size_t k = 0; k < patches_.size(); ++k) {
    const bool is_found = share[k] > 0 && moved[k] < kClearlyNearer * still[k] && moved[k] <= most_;
    if (!is_found) continue;
    found.push_back({now_.of[k], velocities[k] * share[k]});
  }
  return found;
}

}  // namespace

double moment_gap(const MotionSeeds& seeds) {
  const std::vector<MomentSeeds> moments = moments_of(seeds);
  if (moments.size() < 2) return 0;
  return (moments.back().time_s() - moments.front().time_s()) /
         static_cast<double>(moments.size() - 1);
}

std::vector<bool> stand_still(const MotionSeeds& seeds) {
  constexpr std::size_t kOthers = 6, kNearest = 6;
  constexpr double kNear = 2;      // in distances to the neighbours of the same moment
  constexpr double kAlike = 0.08;  // largest difference of a channel
  std::vector<bool> still(seeds.positions.size(), false);
  const std::vector<MomentSeeds> moments = moments_of(seeds);
  if (moments.size() < 3) return still;
  const std::size_t count = moments.size(), others = std::min(kOthers, count - 1),
                    enough = (2 * others + 2) / 3;
  const auto alike = [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (!(std::abs(seeds.colors[a][c] - seeds.colors[b][c]) < kAlike)) return false;
    }
    return true;
  };
  // Tasks write bytes, since bits of neighbours share words.
  std::vector<std::uint8_t> found(seeds.positions.size(), 0);
  run_tasks(count, [&](std::size_t m, int) {
    throw_if_interrupted();
    const std::vector<std::uint32_t>& own = moments[m].of;
    const std::vector<glm::dvec3> here = positions_of(seeds, own);
    const std::vector<double> near = neighbour_distances(here);
    std::vector<std::size_t> seen_again(own.size(), 0);
    for (std::size_t k = 1; k <= others; ++k) {
      const auto& other = moments[(m + k * count / (others + 1)) % count].of;
      const std::vector<glm::dvec3> there = positions_of(seeds, other);
      const auto nearest = nearest_points(there, here, kNearest);
      for (std::size_t i = 0; i < own.size(); ++i) {
        seen_again[i] += std::ranges::any_of(nearest[i], [&](std::uint32_t n) {
          // A seed that is alone in its moment, or has copies there, has neighbours at distance 0.
          return glm::distance(there[n], here[i]) <= kNear * near[i] && alike(own[i], other[n]);
        });
      }
    }
    for (std::size_t i = 0; i < own.size(); ++i) found[own[i]] = seen_again[i] >= enough ? 1 : 0;
  });
  for (std::size_t i = 0; i < still.size(); ++i) still[i] = found[i] != 0;
  return still;
}

FirstVelocities first_velocities(const MotionSeeds& seeds, const std::vector<bool>& still) {
  FirstVelocities result{std::vector<glm::dvec3>(seeds.positions.size(), glm::dvec3(0)),
                         std::vector<bool>(seeds.positions.size(), false)};
  const std::vector<MomentSeeds> found = moments_of(seeds, still);
  if (found.size() < 2) return result;
  const double usual = usual_distance(seeds, found);
  std::vector<std::unique_ptr<SeedMoment>> moments;
  for (const MomentSeeds& moment : found) {
    moments.push_back(std::make_unique<SeedMoment>(seeds, moment, usual / kAlikeColor));
  }
  std::vector<std::vector<MomentVelocities::Found>> parts(moments.size());
  run_tasks(moments.size(), [&](std::size_t m, int) {
    throw_if_interrupted();
    parts[m] = MomentVelocities(moments, m, usual).find();
  });
  for (const auto& part : parts) {
    for (const auto& [seed, velocity] : part) {
      result.move[seed] = true;
      result.velocities[seed] = velocity;
    }
  }
  return result;
}

}  // namespace mote
