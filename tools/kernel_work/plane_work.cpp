#include "plane_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_set>

#include "fields/encodings/hexplane.h"
#include "splats/morton_key.h"

namespace mote {
namespace {

constexpr std::size_t kPlaneWarp = 32, kPlaneSector_bytes = 32;
constexpr std::size_t kRunPlaces = 16;    // as in hexplane.cu
constexpr std::size_t kLoadFeatures = 4;  // of a lane's load
constexpr std::size_t kCorners = 4, kValue_bytes = 4, kSum_bytes = 8;

using Points = std::vector<HexPoint<float>>;

Points points_of(const HexLevel& level, const Positions& places, float time) {
  Points points;
  for (const auto& place : places) {
    const float x[kHexAxes] = {place[0], place[1], place[2], time};
    points.push_back(hex_point(level, x));
  }
  return points;
}

/// Different sectors of the loads of a warp, as encode_planes().
std::size_t loaded_by(const HexLevel& level, std::size_t features,
                      std::span<const HexPoint<float>> lanes) {
  std::size_t count = 0;
  for (std::size_t feature = 0; feature < features; feature += kLoadFeatures) {
    for (int plane = 0; plane < kHexPlanes; ++plane) {
      for (int corner = 0; corner < static_cast<int>(kCorners); ++corner) {
        std::unordered_set<std::size_t> sectors;
        for (const HexPoint<float>& lane : lanes) {
          const std::size_t node = hex_corner(level, lane, plane, corner).node;
          sectors.insert((level.first[plane] + node * features + feature) * kValue_bytes /
                         kPlaneSector_bytes);
        }
        count += sectors.size();
      }
    }
  }
  return count;
}

/// How often a run hands the sums of a cell over, as plane_gradients().
std::size_t handed_over_by(const HexLevel& level, std::span<const HexPoint<float>> run) {
  std::size_t count = 0;
  for (int plane = 0; plane < kHexPlanes; ++plane) {
    for (std::size_t i = 0; i < run.size(); ++i) {
      const auto node = [&](std::size_t place) {
        return hex_corner(level, run[place], plane, 0).node;
      };
      count += i + 1 == run.size() || node(i) != node(i + 1) ? 1 : 0;
    }
  }
  return count;
}

/// Calls visit() for parts of `size` points.
template <class Visit>
void for_each_part(const Points& points, std::size_t size, const Visit& visit) {
  const std::span all(points);
  for (std::size_t first = 0; first < all.size(); first += size) {
    visit(all.subspan(first, std::min(size, all.size() - first)));
  }
}

}  // namespace

Positions shell_positions(std::size_t count) {
  Positions positions;
  // About half of them are in the ball.
  for (std::array<float, 3> at : random_positions(3 * count)) {
    float square = 0;
    for (float& x : at) {
      x -= 0.5f;
      square += x * x;
    }
    if (square < 0.0025f || square > 0.25f || positions.size() == count) continue;
    for (float& x : at) x = 0.5f + 0.4f * x / std::sqrt(square);
    positions.push_back(at);
  }
  const auto key = [](const std::array<float, 3>& place) {
    const float mean[3] = {place[0], place[1], place[2]};
    return morton_key({{0, 0, 0}, {1, 1, 1}}, mean);
  };
  std::ranges::sort(positions, {}, key);
  return positions;
}

PlaneWork plane_work(const HexPlaneConfig& config, const Positions& places, float time) {
  const std::vector<HexLevel> levels = hex_levels(config);
  const auto features = static_cast<std::size_t>(config.features);
  std::size_t loaded = 0, handed_over = 0;
  for (const HexLevel& level : levels) {
    const Points points = points_of(level, places, time);
    for_each_part(points, kPlaneWarp, [&](std::span<const HexPoint<float>> warp) {
      loaded += loaded_by(level, features, warp);
    });
    for_each_part(points, kRunPlaces, [&](std::span<const HexPoint<float>> run) {
      handed_over += handed_over_by(level, run);
    });
  }
  // A corner has the sums of all features side by side.
  const std::size_t of_cell = kCorners * features * kSum_bytes / kPlaneSector_bytes;
  const auto all = static_cast<double>(places.size() * levels.size());
  return {.loaded_sectors = static_cast<double>(loaded) / all,
          .added_sectors = static_cast<double>(handed_over * of_cell) / all,
          .most_added = static_cast<double>(kHexPlanes * of_cell)};
}

}  // namespace mote
