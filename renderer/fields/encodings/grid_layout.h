#pragma once

// The levels of a grid encoding: their resolutions, and their places in the table of parameters.
// Sizes, index rules and order are those of tiny-cuda-nn, so that parameters can be exchanged
// (Müller et al. 2022, "Instant Neural Graphics Primitives with a Multiresolution Hash Encoding").

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mote {

/// How the grid points of a level get their entries: levels that fit have an entry for each; others
/// share entries by a hash, are not limited in size, or repeat a tile.
enum class GridKind { hash, dense, tiled };
enum class Interpolation { nearest, linear, smoothstep };

/// Names in configurations, in the order of the enumerations.
inline constexpr std::array<std::string_view, 3> kGridKindNames{"Hash", "Dense", "Tiled"};
inline constexpr std::array<std::string_view, 3> kInterpolationNames{"Nearest", "Linear",
                                                                     "Smoothstep"};

inline constexpr int kLeastGridDimensions = 2, kMostGridDimensions = 4;

struct GridConfig {
  GridKind kind = GridKind::hash;
  Interpolation interpolation = Interpolation::linear;
  int dimensions = 3;  // of a position
  int levels = 16;
  int features = 2;          // of an entry: 1, 2, 4 or 8
  int log2_table_size = 19;  // most entries of a level of a hash grid
  int base_resolution = 16;  // of the coarsest level
  double per_level_scale = 2;

  bool operator==(const GridConfig&) const = default;
};

/// How the place of a grid point in its level's table is found.
enum class GridIndex { dense, hashed, tiled };

struct GridLevel {
  float scale;                   // cells per unit of position
  std::uint32_t resolution;      // grid points per axis
  std::uint32_t first, entries;  // of the level's table, in entries
  GridIndex index;
  /// Entries between neighbours along each axis; 0 for axes that a tiled level ignores.
  std::array<std::uint32_t, kMostGridDimensions> stride;
};

/// The levels, coarsest first. Throws Error if the table would have more than 2^31 entries, or a
/// level more than 2^30 grid points per axis.
std::vector<GridLevel> grid_levels(const GridConfig& config);

/// Number of parameters of all levels.
std::size_t grid_parameters(const GridConfig& config);

/// The growth with which the finest of `levels` levels has `finest_resolution`.
double grid_growth(double finest_resolution, int base_resolution, int levels);

}  // namespace mote
