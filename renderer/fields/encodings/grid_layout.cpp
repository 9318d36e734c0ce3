#include "fields/encodings/grid_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.h"

namespace mote {
namespace {

constexpr double kMostEntries = 2147483648.0;     // 2^31
constexpr double kMostResolution = 1073741824.0;  // 2^30: numbers of cells are signed

/// Entries of a level, before it is known whether all levels fit.
double level_entries(const GridConfig& config, double resolution) {
  const double points = std::pow(resolution, config.dimensions);
  const double rounded = std::ceil(points / 8) * 8;
  switch (config.kind) {
    case GridKind::hash:
      return std::min(rounded, std::ldexp(1.0, config.log2_table_size));
    case GridKind::tiled:
      return std::min(rounded, std::pow(config.base_resolution, config.dimensions));
    case GridKind::dense:
      break;
  }
  return rounded;
}

/// Strides of the axes, as far as the table reaches.
void set_strides(int dimensions, GridLevel& level) {
  std::uint64_t stride = 1;
  for (int axis = 0; axis < dimensions; ++axis) {
    level.stride[static_cast<std::size_t>(axis)] =
        stride <= level.entries ? static_cast<std::uint32_t>(stride) : 0;
    if (stride <= level.entries) stride *= level.resolution;
  }
}

}  // namespace

std::vector<GridLevel> grid_levels(const GridConfig& config) {
  CHECK(config.dimensions >= kLeastGridDimensions && config.dimensions <= kMostGridDimensions);
  CHECK(config.levels >= 1 && config.base_resolution >= 1 && config.per_level_scale > 0);
  std::vector<GridLevel> levels;
  // In single precision, as by tiny-cuda-nn: rounding decides whether a resolution is one higher.
  const float log2_growth = std::log2(static_cast<float>(config.per_level_scale));
  double first = 0;
  for (int l = 0; l < config.levels; ++l) {
    const float growth = std::exp2(static_cast<float>(l) * log2_growth);
    const float scale = growth * static_cast<float>(config.base_resolution) - 1.0f;
    const double resolution = std::ceil(static_cast<double>(scale)) + 1;
    if (!(resolution <= kMostResolution)) {
      throw Error("level " + std::to_string(l) + " would have more than 2^30 grid points per axis",
                  "encoding", "use fewer levels, or a lower per_level_scale or base_resolution");
    }
    const double entries = level_entries(config, resolution);
    if (!(first + entries <= kMostEntries)) {
      throw Error("level " + std::to_string(l) + " would have too many entries: together more " +
                      "than 2^31",
                  "encoding",
                  "use fewer levels, a lower per_level_scale or base_resolution, or a hash grid");
    }
    GridLevel level{};
    level.scale = scale;
    level.resolution = static_cast<std::uint32_t>(resolution);
    level.first = static_cast<std::uint32_t>(first);
    level.entries = static_cast<std::uint32_t>(entries);
    const bool fits = std::pow(resolution, config.dimensions) <= entries;
    level.index = fits                            ? GridIndex::dense
                  : config.kind == GridKind::hash ? GridIndex::hashed
                                                  : GridIndex::tiled;
    set_strides(config.dimensions, level);
    levels.push_back(level);
    first += entries;
  }
  return levels;
}

std::size_t grid_parameters(const GridConfig& config) {
  const GridLevel last = grid_levels(config).back();
  return (std::size_t{last.first} + last.entries) * static_cast<std::size_t>(config.features);
}

double grid_growth(double finest_resolution, int base_resolution, int levels) {
  if (levels == 1) return 1;
  return std::exp(std::log(finest_resolution / base_resolution) / (levels - 1));
}

}  // namespace mote
