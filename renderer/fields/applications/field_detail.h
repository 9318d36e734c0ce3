#pragma once

// How fine the details of a field are.

#include <algorithm>
#include <cstdint>
#include <variant>

#include "fields/field_config.h"

namespace mote {

/// Number of points per axis of the finest level of all grids; 2^16 with parts that are not grids,
/// whose details have no such limit.
inline std::uint32_t finest_resolution(const EncodingConfig& config) {
  std::uint32_t finest = 0;
  for (const EncodingPart& part : config.parts) {
    const auto* grid = std::get_if<GridEncoding>(&part.kind);
    if (grid == nullptr) return 1u << 16;
    finest = std::max(finest, grid_levels(grid->grid).back().resolution);
  }
  return finest;
}

}  // namespace mote
