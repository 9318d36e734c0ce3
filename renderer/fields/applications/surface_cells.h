#pragma once

// Distances of a signed distance field in the middle of all cells of its cube. They tell where rays
// pass the space around the surface without evaluating the field, and stand for the field's where
// light is measured away from the surface.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "lanes/scalar.h"
#include "math/vector.h"

namespace mote {

/// Cells per axis that are worth finding for a picture of `pixels`: not finer than the field, whose
/// finest grid has `resolution`. 0: none, since they save about four evaluations of a pixel.
inline int surface_cells(std::uint32_t resolution, std::size_t pixels) {
  constexpr std::size_t kMostCells = 128, kCellsOfPixel = 4;
  const std::size_t cells = std::clamp<std::size_t>(std::bit_floor(resolution), 16, kMostCells);
  return pixels * kCellsOfPixel < cells * cells * cells ? 0 : static_cast<int>(cells);
}

/// The largest distance of a point of a cell from its middle, for `cells` cells per axis of the
/// cube.
template <class F>
MOTE_LANE F cell_reach(F cells) {
  return F(0.866025404f) / cells;
}

/// Lower bound on the distances in a cell, from that in its middle. A quarter of the reach is left
/// for slopes above 1, since fields only approximate distances; and a thousandth of the distance
/// for its rounding to a half.
template <class F>
MOTE_LANE F bound_of_cell(F distance, F cells) {
  return F(0.999f) * distance - F(1.25f) * cell_reach(cells);
}

/// Whether a ray goes on by the bound of its cell alone. A shorter step would save no evaluation.
template <class F>
MOTE_LANE auto is_far(F bound, F cells) {
  return bound > cell_reach(cells);
}

/// Whether light takes a distance between the middles of cells for the field's. At a distance d
/// from a surface, second derivatives of distances are at most 1/d, so that interpolation errs by a
/// fifth of a cell or less.
template <class F>
MOTE_LANE auto is_known_for_light(F distance, F cells) {
  return distance * cells > F(2.0f);
}

/// The bound of the cell of a point. `load(index)`: the distance in the middle of a cell, x
/// fastest.
template <class Load>
MOTE_LANE float cell_bound(const Vec3<float>& point, int cells, const Load& load) {
  const auto across = static_cast<float>(cells);
  const auto cell = [&](float x) {
    return static_cast<unsigned>(max(min(x * across, across - 1), 0.0f));
  };
  const auto side = static_cast<unsigned>(cells);
  const unsigned at = (cell(point.z) * side + cell(point.y)) * side + cell(point.x);
  return bound_of_cell<float>(load(at), across);
}

/// The distance at a point, interpolated between the middles of cells.
template <class Load>
MOTE_LANE float distance_between_cells(const Vec3<float>& point, int cells, const Load& load) {
  const auto across = static_cast<float>(cells);
  const auto place = [&](float x) { return max(min(x * across - 0.5f, across - 1.001f), 0.0f); };
  const Vec3<float> at{place(point.x), place(point.y), place(point.z)};
  const auto x = static_cast<unsigned>(at.x), y = static_cast<unsigned>(at.y),
             z = static_cast<unsigned>(at.z), side = static_cast<unsigned>(cells);
  const auto between = [](float low, float high, float part) { return low + part * (high - low); };
  const auto along_x = [&](unsigned own_y, unsigned own_z) {
    const unsigned first = (own_z * side + own_y) * side + x;
    return between(load(first), load(first + 1), at.x - static_cast<float>(x));
  };
  const auto along_y = [&](unsigned own_z) {
    return between(along_x(y, own_z), along_x(y + 1, own_z), at.y - static_cast<float>(y));
  };
  return between(along_y(z), along_y(z + 1), at.z - static_cast<float>(z));
}

}  // namespace mote
