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

#include "core/parallel.h"
#include "train/splats/neighbours.h"

namespace mote {
namespace {

/// Least time to the moments that a moment is compared with, s, and their number on each side.
constexpr double kLeastGap_s = 1.0 / 30;
constexpr int kMomentsOnASide = 3;
/// Number of seeds of a patch, and number of those that say something of their own: neighbours
/// often have the same nearest seed.
constexpr std::size_t kPatch = 12;
constexpr double kIndependent = 4;
constexpr int kIterations = 6;
/// Difference of a colour's channel that counts like the usual distance of neighbours.
constexpr double kAlikeColor = 0.2;

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
  SeedMoment(const MotionSeeds& seeds, double time_s, std::vector<std::uint32_t> of, double unit)
      : time_s(time_s), of(std::move(of)), places(positions_of(seeds, this->of)) {
    for (const std::uint32_t i : this->of) {
      points_.values.push_back(joined(seeds.positions[i], seeds.colors[i], unit));
    }
    tree_ =
        std::make_unique<ColoredTree>(6, points_, nanoflann::KDTreeSingleIndexAdaptorParams(16));
  }

  /// The place of the seed that is nearest to seed `i` of another moment moved to `place`.
  glm::dvec3 nearest(const SeedMoment& other, std::size_t i, const glm::dvec3& place) const {
    PlaceAndColor sought = other.points_.values[i];
    for (int axis = 0; axis < 3; ++axis) sought[static_cast<std::size_t>(axis)] = place[axis];
    std::uint32_t found = 0;
    double squared = 0;
    tree_->knnSearch(sought.data(), 1, &found, &squared);
    return places[found];
  }

  const double time_s;
  const std::vector<std::uint32_t> of;
  const std::vector<glm::dvec3> places;

 private:
  ColoredPoints points_;
  std::unique_ptr<ColoredTree> tree_;
};

/// The usual distance of neighbours of one moment.
double usual_distance(const MotionSeeds& seeds, const Moments& moments) {
  std::vector<double> distances;
  for (const auto& [time_s, of] : moments) {
    const std::vector<double> own = neighbour_distances(positions_of(seeds, of));
    distances.insert(distances.end(), own.begin(), own.end());
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

/// The moments with which moment m is compared: on each side the first ones that are one, two and
/// three times kLeastGap_s away.
std::vector<std::size_t> compared_moments(const std::vector<std::unique_ptr<SeedMoment>>& moments,
                                          std::size_t m) {
  std::vector<std::size_t> compared;
  const double now = moments[m]->time_s;
  std::size_t before = m, after = m;
  for (int k = 1; k <= kMomentsOnASide; ++k) {
    const double gap_s = (k - 1e-6) * kLeastGap_s;
    std::size_t next = std::max(after, m + 1);
    while (next < moments.size() && moments[next]->time_s < now + gap_s) ++next;
    if (next < moments.size() && next != after) compared.push_back(after = next);
    std::size_t last = std::min(before, m);
    while (last < moments.size() && (last == m || moments[last]->time_s > now - gap_s)) --last;
    if (last < moments.size() && last != before) compared.push_back(before = last);
  }
  return compared;
}

/// Velocities of the seeds of one moment.
std::vector<glm::dvec3> velocities_at(const std::vector<std::unique_ptr<SeedMoment>>& moments,
                                      std::size_t m) {
  const SeedMoment& now = *moments[m];
  const std::vector<std::size_t> compared = compared_moments(moments, m);
  std::vector<glm::dvec3> own(now.places.size()), first, velocities(now.places.size());
  if (compared.empty() || own.size() < kPatch) return velocities;
  double squared_s = 0;
  for (const std::size_t other : compared) {
    squared_s += (moments[other]->time_s - now.time_s) * (moments[other]->time_s - now.time_s);
  }
  const std::vector<std::vector<std::uint32_t>> patches =
      nearest_points(now.places, now.places, kPatch);
  std::vector<double> share(own.size());
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] = glm::dvec3(0);
      for (const std::size_t other : compared) {
        const double passed_s = moments[other]->time_s - now.time_s;
        const glm::dvec3 place = now.places[i] + velocities[i] * passed_s;
        own[i] += (moments[other]->nearest(now, i, place) - now.places[i]) * (passed_s / squared_s);
      }
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      glm::dvec3 mean(0);
      for (const std::uint32_t k : patches[i]) mean += own[k] / static_cast<double>(kPatch);
      if (iteration == 0) {
        double variance = 0;
        for (const std::uint32_t k : patches[i]) {
          variance += glm::dot(own[k] - mean, own[k] - mean) / static_cast<double>(kPatch);
        }
        const double length = std::max(glm::dot(mean, mean), 1e-60);
        share[i] = std::max(0.0, 1 - variance / kIndependent / length);
        velocities[i] = mean;
        continue;
      }
      // Nearest seeds shorten the way, to a third or so, but do not hide it.
      const glm::dvec3 change = mean - first[i];
      const double most = 2 * glm::length(first[i]), length = glm::length(change);
      velocities[i] = first[i] + change * (length > most ? most / length : 1.0);
    }
    if (iteration == 0) first = velocities;
  }
  for (std::size_t i = 0; i < own.size(); ++i) velocities[i] *= share[i];
  return velocities;
}

}  // namespace

double moment_gap(const MotionSeeds& seeds) {
  const Moments moments = moments_of(seeds);
  if (moments.size() < 2) return 0;
  return (moments.rbegin()->first - moments.begin()->first) /
         static_cast<double>(moments.size() - 1);
}

std::vector<bool> stand_still(const MotionSeeds& seeds) {
  constexpr double kNear = 1.5;   // in distances to the neighbours of the same moment
  constexpr double kAlike = 0.2;  // largest difference of a channel
  std::vector<bool> still(seeds.positions.size(), false);
  const Moments moments = moments_of(seeds);
  if (moments.size() < 3) return still;
  std::vector<const std::vector<std::uint32_t>*> in_order;
  for (const auto& [time_s, of] : moments) in_order.push_back(&of);
  const auto alike = [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (!(std::abs(seeds.colors[a][c] - seeds.colors[b][c]) < kAlike)) return false;
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
  const Moments found = moments_of(seeds);
  if (found.size() < 2) return velocities;
  const double unit = usual_distance(seeds, found) / kAlikeColor;
  std::vector<std::unique_ptr<SeedMoment>> moments;
  for (const auto& [time_s, of] : found) {
    moments.push_back(std::make_unique<SeedMoment>(seeds, time_s, of, unit));
  }
  run_tasks(moments.size(), [&](std::size_t m, int) {
    const std::vector<glm::dvec3> own = velocities_at(moments, m);
    for (std::size_t i = 0; i < own.size(); ++i) velocities[moments[m]->of[i]] = own[i];
  });
  return velocities;
}

}  // namespace mote
