#include "splats/picking/color_flood.h"

#include <cmath>
#include <cstdint>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "splats/picking/splat_properties.h"

namespace mote {
namespace {

glm::dvec3 mean_of_splat(const SplatCloud& cloud, std::size_t splat) {
  return {cloud.at(splat, Field::mean_x), cloud.at(splat, Field::mean_y),
          cloud.at(splat, Field::mean_z)};
}

/// A cell of a grid whose cells are as wide as neighbours may be apart.
struct Cell {
  std::int64_t x, y, z;
  bool operator==(const Cell&) const = default;
};

struct CellHash {
  std::size_t operator()(const Cell& cell) const {
    std::uint64_t hash = 0;
    for (const std::int64_t part : {cell.x, cell.y, cell.z}) {
      hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

/// The splats that the flood has not reached, by cell.
class Unreached {
 public:
  explicit Unreached(double distance) : distance_(distance) {}

  void add(std::uint32_t splat, const glm::dvec3& mean) {
    cells_[cell_of(mean)].push_back({splat, mean});
  }

  /// Takes out the splats within the distance of the place and calls reached(splat, mean).
  template <class Reached>
  void take_near(const glm::dvec3& place, const Reached& reached) {
    const Cell middle = cell_of(place);
    for (std::int64_t x = -1; x <= 1; ++x) {
      for (std::int64_t y = -1; y <= 1; ++y) {
        for (std::int64_t z = -1; z <= 1; ++z) {
          const auto found = cells_.find({middle.x + x, middle.y + y, middle.z + z});
          if (found != cells_.end()) take_near_in(found->second, place, reached);
        }
      }
    }
  }

 private:
  struct Placed {
    std::uint32_t splat;
    glm::dvec3 mean;
  };

  Cell cell_of(const glm::dvec3& mean) const {
    // Beyond this a coordinate's cell could not be counted.
    constexpr double kFarthest = 4e18;
    const glm::dvec3 at = glm::clamp(glm::floor(mean / distance_), -kFarthest, kFarthest);
    return {static_cast<std::int64_t>(at.x), static_cast<std::int64_t>(at.y),
            static_cast<std::int64_t>(at.z)};
  }

  template <class Reached>
  void take_near_in(std::vector<Placed>& cell, const glm::dvec3& place, const Reached& reached) {
    for (std::size_t i = 0; i < cell.size();) {
      const glm::dvec3 way = cell[i].mean - place;
      if (!(glm::dot(way, way) <= distance_ * distance_)) {
        ++i;
        continue;
      }
      const Placed one = cell[i];
      cell[i] = cell.back();
      cell.pop_back();
      reached(one.splat, one.mean);
    }
  }

  double distance_;
  std::unordered_map<Cell, std::vector<Placed>, CellHash> cells_;
};

std::optional<std::uint32_t> nearest_to(const SplatCloud& cloud, const SplatMask& among,
                                        const glm::dvec3& place) {
  std::optional<std::uint32_t> nearest;
  double shortest = std::numeric_limits<double>::infinity();
  for (const std::uint32_t splat : among.indices()) {
    const glm::dvec3 way = mean_of_splat(cloud, splat) - place;
    const double length2 = glm::dot(way, way);
    if (!(length2 < shortest)) continue;
    shortest = length2;
    nearest = splat;
  }
  return nearest;
}

}  // namespace

SplatMask flood(const SplatCloud& cloud, const SplatMask& among, const ColorFlood& flood) {
  CHECK(among.size() == cloud.count() && flood.distance > 0);
  SplatMask result(cloud.count());
  const auto first = nearest_to(cloud, among, flood.from);
  if (!first) return result;
  const AffineColor unchanged;
  const glm::dvec3 color = base_color(cloud, *first, unchanged);
  Unreached unreached(flood.distance);
  for (const std::uint32_t splat : among.indices()) {
    const glm::dvec3 mean = mean_of_splat(cloud, splat);
    if (!std::isfinite(mean.x + mean.y + mean.z)) continue;
    if (glm::distance(base_color(cloud, splat, unchanged), color) > flood.color_range) continue;
    unreached.add(splat, mean);
  }
  std::vector<glm::dvec3> front{mean_of_splat(cloud, *first)};
  while (!front.empty()) {
    const glm::dvec3 place = front.back();
    front.pop_back();
    unreached.take_near(place, [&](std::uint32_t splat, const glm::dvec3& mean) {
      result.set(splat, true);
      front.push_back(mean);
    });
  }
  return result;
}

}  // namespace mote
