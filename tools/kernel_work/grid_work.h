#pragma once

// Counts the memory accesses of the kernels of grid encodings, for estimates of their time.

#include <array>
#include <cstddef>
#include <vector>

#include "fields/encodings/grid_layout.h"

namespace mote {

using Positions = std::vector<std::array<float, 3>>;

/// Positions that are uniform in the unit cube.
Positions random_positions(std::size_t count);
/// Positions along rays: `per_ray` of each, at distances of sqrt(3) / 1024.
Positions ray_positions(std::size_t count, std::size_t per_ray);

/// Positions of the pixels of a picture, from the top: tiles of 8x4 after each other, as warps draw
/// them.
Positions pixel_positions(std::size_t count, int width, int height);

/// Counts of accesses, each divided by the number of positions. A sector has 32 bytes.
struct GridWork {
  double loads = 0;           // of lanes
  double loaded_sectors = 0;  // different ones of each load of a warp
  /// Sectors that a multiprocessor reads from L2, with blocks that go through one level after the
  /// other, and with blocks that go through all levels of their positions.
  double level_order = 0, position_order = 0;
  double adds = 0;           // of lanes, without those of the same cell in a warp
  double adds_of_lanes = 0;  // of lanes, with all
  double fixed_sectors = 0;  // different ones of each addition of a warp, sums of 8 bytes
  double float_sectors = 0;  // the same for sums of 4 bytes
};

/// `multiprocessors`: blocks of 256 positions go to them in turn; the accesses of the first are
/// counted, and its L1 holds `l1_bytes` of the table. Features are interpolated linearly.
GridWork grid_work(const GridConfig& config, const Positions& positions,
                   std::size_t multiprocessors = 132, std::size_t l1_bytes = 192 << 10);

}  // namespace mote
