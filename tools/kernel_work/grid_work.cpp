#include "grid_work.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <random>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "fields/encodings/grid.h"

namespace mote {
namespace {

constexpr std::size_t kWarp = 32, kBlock = 256, kSector_bytes = 32, kLane_bytes = 16;
constexpr std::size_t kMostRuns = 8;  // as in grid_gradients.cu

using Place = std::uint64_t;  // of a byte in the table
using Sectors = std::unordered_set<std::uint64_t>;

/// A cache that replaces the sector that was not used for the longest time.
class Cache {
 public:
  explicit Cache(std::size_t bytes) : most_(bytes / kSector_bytes) {}

  /// Whether the sector had to be fetched.
  bool misses(std::uint64_t sector) {
    const auto found = places_.find(sector);
    if (found != places_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return false;
    }
    order_.push_front(sector);
    places_[sector] = order_.begin();
    if (order_.size() > most_) {
      places_.erase(order_.back());
      order_.pop_back();
    }
    return true;
  }

 private:
  std::size_t most_;
  std::list<std::uint64_t> order_;
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

/// The corners of one position in one level: numbers of entries in the whole table.
struct Corners {
  std::array<std::uint32_t, 8> entry{};
  std::array<std::uint32_t, 3> cell{};
  int count = 0;
};

template <int D>
Corners corners_at(const GridLevel& level, const std::array<float, 3>& position) {
  float x[D];
  for (std::size_t axis = 0; axis < D; ++axis) x[axis] = position[axis];
  const auto cell = grid_cell<Interpolation::linear>(level, x);
  Corners corners;
  for (std::size_t axis = 0; axis < D; ++axis) corners.cell[axis] = cell.corner[axis];
  for_each_corner<Interpolation::linear>(level, cell, [&](int c, std::uint32_t index, float) {
    corners.entry[static_cast<std::size_t>(c)] = level.first + index;
    corners.count = c + 1;
  });
  return corners;
}

/// Counts the accesses of one multiprocessor.
class Counter {
 public:
  Counter(const GridConfig& config, std::size_t l1_bytes)
      : config_(config),
        levels_(grid_levels(config)),
        entry_bytes_(2 * static_cast<std::size_t>(config.features)),
        by_level_(l1_bytes),
        by_position_(l1_bytes) {}

  std::size_t levels() const { return levels_.size(); }

  /// The lanes of a warp in one level, while blocks go through one level after the other.
  void add_warp(std::size_t level, std::span<const std::array<float, 3>> positions) {
    const std::vector<Corners> lanes = corners_of(level, positions);
    const int corners = lanes.front().count;
    for (int c = 0; c < corners; c += 2) load_pair(lanes, static_cast<std::size_t>(c));
    for (int c = 0; c < corners; ++c) add_gradients(lanes, static_cast<std::size_t>(c));
  }
  /// The same loads, while blocks go through all levels of their positions.
  void load_in_position_order(std::size_t level, std::span<const std::array<float, 3>> positions) {
    for (const Corners& lane : corners_of(level, positions)) {
      for (int c = 0; c < lane.count; ++c) {
        const Place first = lane.entry[static_cast<std::size_t>(c)] * entry_bytes_;
        work_.position_order += by_position_.misses(first / kSector_bytes) ? 1 : 0;
      }
    }
  }

  GridWork work(std::size_t positions) const {
    GridWork each = work_;
    for (double* value :
         {&each.loads, &each.loaded_sectors, &each.level_order, &each.position_order, &each.adds,
          &each.adds_of_lanes, &each.fixed_sectors, &each.float_sectors}) {
      *value /= static_cast<double>(positions);
    }
    return each;
  }

 private:
  std::vector<Corners> corners_of(std::size_t level,
                                  std::span<const std::array<float, 3>> positions) const {
    std::vector<Corners> lanes;
    for (const auto& position : positions) {
      lanes.push_back(config_.dimensions == 2 ? corners_at<2>(levels_[level], position)
                                              : corners_at<3>(levels_[level], position));
    }
    return lanes;
  }

  void load(std::size_t lanes, const Sectors& sectors) {
    work_.loads += static_cast<double>(lanes);
    work_.loaded_sectors += static_cast<double>(sectors.size());
    for (const std::uint64_t sector : sectors)
      work_.level_order += by_level_.misses(sector) ? 1 : 0;
  }

  /// As load_neighbours() of grid_lookup.h.
  void load_pair(const std::vector<Corners>& lanes, std::size_t c) {
    Sectors first, second;
    std::size_t others = 0;
    const bool pairs_fit = 2 * entry_bytes_ <= kLane_bytes;
    for (const Corners& lane : lanes) {
      const Place a = lane.entry[c], b = lane.entry[c + 1];
      first.insert(a * entry_bytes_ / kSector_bytes);
      if (pairs_fit && (a ^ b) == 1) continue;
      second.insert(b * entry_bytes_ / kSector_bytes);
      ++others;
    }
    load(lanes.size(), first);
    load(others, second);
  }

  /// As add_gradients() of grid_gradients.cu.
  void add_gradients(const std::vector<Corners>& lanes, std::size_t c) {
    std::size_t runs = 1;
    for (std::size_t i = 1; i < lanes.size(); ++i) runs += lanes[i].cell != lanes[i - 1].cell;
    const bool adds_runs = runs <= kMostRuns;
    for (int f = 0; f < config_.features; ++f) {
      Sectors fixed, floats;
      std::size_t adding = 0;
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (adds_runs && i > 0 && lanes[i].cell == lanes[i - 1].cell) continue;
        ++adding;
        const Place sum =
            static_cast<Place>(lanes[i].entry[c]) * static_cast<Place>(config_.features) +
            static_cast<Place>(f);
        fixed.insert(sum * 8 / kSector_bytes);
        floats.insert(sum * 4 / kSector_bytes);
      }
      work_.adds += static_cast<double>(adding);
      work_.adds_of_lanes += static_cast<double>(lanes.size());
      work_.fixed_sectors += static_cast<double>(fixed.size());
      work_.float_sectors += static_cast<double>(floats.size());
    }
  }

  GridConfig config_;
  std::vector<GridLevel> levels_;
  std::size_t entry_bytes_;
  Cache by_level_, by_position_;
  GridWork work_;
};

float unit(std::mt19937& random) {
  return static_cast<float>(random() >> 8) * 0x1p-24f;
}

}  // namespace

Positions random_positions(std::size_t count) {
  std::mt19937 random(1);
  Positions positions(count);
  for (auto& position : positions) {
    for (float& x : position) x = unit(random);
  }
  return positions;
}

Positions ray_positions(std::size_t count, std::size_t per_ray) {
  std::mt19937 random(1);
  const float step = std::sqrt(3.0f) / 1024;
  Positions positions;
  while (positions.size() < count) {
    std::array<float, 3> at{}, along{};
    float square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      at[axis] = 0.15f + 0.7f * unit(random);
      along[axis] = unit(random) - 0.5f;
      square += along[axis] * along[axis];
    }
    if (square < 0.01f) continue;
    for (std::size_t i = 0; i < per_ray && positions.size() < count; ++i) {
      auto& position = positions.emplace_back();
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const float x = at[axis] + static_cast<float>(i) * step * along[axis] / std::sqrt(square);
        position[axis] = std::clamp(x, 0.0f, 1.0f);
      }
    }
  }
  return positions;
}

Positions pixel_positions(std::size_t count, int width, int height) {
  Positions positions;
  const int across = width / 8;
  for (int tile = 0; positions.size() < count && tile < across * (height / 4); ++tile) {
    for (int i = 0; i < 32 && positions.size() < count; ++i) {
      const int x = tile % across * 8 + i % 8, y = tile / across * 4 + i / 8;
      positions.push_back({(static_cast<float>(x) + 0.5f) / static_cast<float>(width),
                           (static_cast<float>(y) + 0.5f) / static_cast<float>(height), 0});
    }
  }
  return positions;
}

GridWork grid_work(const GridConfig& config, const Positions& positions,
                   std::size_t multiprocessors, std::size_t l1_bytes) {
  Counter counter(config, l1_bytes);
  const std::span all(positions);
  std::vector<std::span<const std::array<float, 3>>> warps;
  std::size_t own = 0;
  for (std::size_t block = 0; block < all.size(); block += kBlock * multiprocessors) {
    const auto of_block = all.subspan(block, std::min(kBlock, all.size() - block));
    own += of_block.size();
    for (std::size_t i = 0; i < of_block.size(); i += kWarp) {
      warps.push_back(of_block.subspan(i, std::min(kWarp, of_block.size() - i)));
    }
  }
  for (std::size_t level = 0; level < counter.levels(); ++level) {
    for (const auto& warp : warps) counter.add_warp(level, warp);
  }
  for (const auto& warp : warps) {
    for (std::size_t level = 0; level < counter.levels(); ++level) {
      counter.load_in_position_order(level, warp);
    }
  }
  return counter.work(own);
}

}  // namespace mote
