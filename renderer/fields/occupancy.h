#pragma once

// The occupancy grid of a field: cubes of 128^3 cells. Cascade c is the cube of side 2^c around
// (0.5, 0.5, 0.5). Densities and bits are in Morton order, as in snapshots of instant-ngp
// (Müller et al. 2022, appendix E.2).

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mote {

inline constexpr int kOccupancySide = 128;  // cells per axis
inline constexpr std::size_t kOccupancyCells =
    std::size_t{kOccupancySide} * kOccupancySide * kOccupancySide;
inline constexpr int kMostCascades = 8;

/// Densities times the smallest step, [cascades][kOccupancyCells]; -1 in cells that no camera sees.
struct OccupancyDensities {
  int cascades = 1;
  std::vector<float> values;
};

}  // namespace mote
