#pragma once

// Distances of a signed distance field in the middle of all cells of its cube, and of the parts of
// the cells near its surface. They tell where rays pass the space around the surface without
// evaluating the field, and stand for the field's where light is measured away from the surface.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "lanes/scalar.h"
#include "math/vector.h"

namespace mote {

inline constexpr unsigned kCellSide = 4;  // parts of a cell per axis
inline constexpr unsigned kCellParts = kCellSide * kCellSide * kCellSide;
inline constexpr std::uint32_t kNoParts = 0xffffffffu;  // the first part of a cell that has none

/// Cells per axis that are worth finding for a picture of `pixels`: not finer than the field, whose
/// finest grid has `resolution`. 0: none, since they save about four evaluations of a pixel.
inline int surface_cells(std::uint32_t resolution, std::size_t pixels) {
  constexpr std::size_t kMostCells = 128, kCellsOfPixel = 4;
  const std::size_t cells = std::clamp<std::size_t>(std::bit_floor(resolution), 16, kMostCells);
  return pixels * kCellsOfPixel < cells * cells * cells ? 0 : static_cast<int>(cells);
}

/// Number of cells whose parts are worth finding for a picture of `pixels`. If more are near the
/// surface, none gets parts: they save about ten evaluations of a pixel that shows the surface.
inline std::uint32_t most_divided_cells(std::size_t pixels) {
  constexpr std::size_t kPartsOfPixel = 2, kMostParts = std::size_t{1} << 23;
  return static_cast<std::uint32_t>(std::min(pixels * kPartsOfPixel, kMostParts) / kCellParts);
}

/// Lower bound on the distance at a point that is `apart` from the middle of its cell, from the
/// distance there. A quarter is left for slopes above 1, since fields only approximate distances;
/// and a thousandth of the distance for its rounding to a half.
template <class F>
MOTE_LANE F bound_from_middle(F distance, F apart) {
  return F(0.999f) * distance - F(1.25f) * apart;
}

/// Whether a ray goes on by a bound alone, for `cells` cells per axis of the cube. Shorter steps
/// would hardly save an evaluation. A distance below `tolerance` would be one of the surface.
template <class F>
MOTE_LANE auto is_far(F bound, F cells, F tolerance) {
  return (bound * cells > F(0.3f)) & (bound > tolerance);
}

/// Whether light takes a distance between the middles of cells for the field's. At a distance d
/// from a surface, second derivatives of distances are at most 1/d, so that interpolation errs by a
/// fifth of a cell or less.
template <class F>
MOTE_LANE auto is_known_for_light(F distance, F cells) {
  return distance * cells > F(2.0f);
}

/// Whether a cell with this distance in its middle is divided. Light takes distances between cells
/// from two cells upwards, so that parts are read up to half a diagonal further away. Rays and
/// light come from the outside.
template <class F>
MOTE_LANE auto is_near_surface(F distance, F cells) {
  return (distance * cells < F(3.1f)) & (distance * cells > F(-1.0f));
}

/// Distances of cells. `Load`: loads a distance by its number.
template <class Load>
struct SurfaceTable {
  int cells = 0;                              // per axis; 0: no distance is known
  Load distance{};                            // of a cell, x fastest
  const std::uint32_t* first_part = nullptr;  // of a cell, or kNoParts; null: no cell has parts
  Load part_distance{};                       // of a part, x fastest in a cell
};

/// A part by its cell, and its number among those of the cell.
struct CellPart {
  std::uint32_t cell, part;
};

/// The part at a place in parts of the cube.
MOTE_LANE CellPart cell_part(unsigned x, unsigned y, unsigned z, unsigned cells) {
  return {(z / kCellSide * cells + y / kCellSide) * cells + x / kCellSide,
          (z % kCellSide * kCellSide + y % kCellSide) * kCellSide + x % kCellSide};
}

/// The middle of a part; the opposite of cell_part().
MOTE_LANE Vec3<float> middle_of_part(const CellPart& at, unsigned cells) {
  const float size = 1 / static_cast<float>(cells * kCellSide);
  const auto middle = [&](std::uint32_t cell, std::uint32_t part) {
    return (static_cast<float>(cell * kCellSide + part) + 0.5f) * size;
  };
  return {middle(at.cell % cells, at.part % kCellSide),
          middle(at.cell / cells % cells, at.part / kCellSide % kCellSide),
          middle(at.cell / cells / cells, at.part / kCellSide / kCellSide)};
}

MOTE_LANE Vec3<float> middle_of_cell(std::uint32_t cell, unsigned cells) {
  const float size = 1 / static_cast<float>(cells);
  const auto middle = [&](std::uint32_t at) { return (static_cast<float>(at) + 0.5f) * size; };
  return {middle(cell % cells), middle(cell / cells % cells), middle(cell / cells / cells)};
}

/// Distance of a point from the middle of a cell of `across` per axis.
MOTE_LANE float distance_from_middle(const Vec3<float>& point, unsigned x, unsigned y, unsigned z,
                                     float across) {
  const auto apart = [&](float place, unsigned cell) {
    return place * across - (static_cast<float>(cell) + 0.5f);
  };
  const Vec3<float> from{apart(point.x, x), apart(point.y, y), apart(point.z, z)};
  return sqrt(dot(from, from)) / across;
}

/// Whether a ray goes on from the point by the bound of its cell or part alone, which is `bound`
/// then. `tolerance`: as for is_far().
template <class Load>
MOTE_LANE bool is_far_at(const Vec3<float>& point, const SurfaceTable<Load>& table, float tolerance,
                         float& bound) {
  const auto cells = static_cast<float>(table.cells);
  const float parts = cells * static_cast<float>(kCellSide);
  const auto place = [&](float along) {
    return static_cast<unsigned>(max(min(along * parts, parts - 1), 0.0f));
  };
  const unsigned x = place(point.x), y = place(point.y), z = place(point.z);
  const CellPart at = cell_part(x, y, z, static_cast<unsigned>(table.cells));
  const std::uint32_t first = table.first_part == nullptr ? kNoParts : table.first_part[at.cell];
  if (first != kNoParts) {
    bound = bound_from_middle(table.part_distance(first + at.part),
                              distance_from_middle(point, x, y, z, parts));
    return is_far(bound, parts, tolerance);
  }
  bound = bound_from_middle(
      table.distance(at.cell),
      distance_from_middle(point, x / kCellSide, y / kCellSide, z / kCellSide, cells));
  return is_far(bound, cells, tolerance);
}

/// The distance at a point, interpolated between the middles of `across` cells per axis.
/// `distance_at(x, y, z)`: the distance of a cell.
template <class DistanceAt>
MOTE_LANE float distance_between(const Vec3<float>& point, int across,
                                 const DistanceAt& distance_at) {
  const auto width = static_cast<float>(across);
  const auto place = [&](float x) { return max(min(x * width - 0.5f, width - 1.001f), 0.0f); };
  const Vec3<float> at{place(point.x), place(point.y), place(point.z)};
  const auto x = static_cast<unsigned>(at.x), y = static_cast<unsigned>(at.y),
             z = static_cast<unsigned>(at.z);
  const auto between = [](float low, float high, float part) { return low + part * (high - low); };
  const auto along_x = [&](unsigned own_y, unsigned own_z) {
    return between(distance_at(x, own_y, own_z), distance_at(x + 1, own_y, own_z),
                   at.x - static_cast<float>(x));
  };
  const auto along_y = [&](unsigned own_z) {
    return between(along_x(y, own_z), along_x(y + 1, own_z), at.y - static_cast<float>(y));
  };
  return between(along_y(z), along_y(z + 1), at.z - static_cast<float>(z));
}

/// Whether light takes a distance between cells or parts for the field's at the point, which is
/// `distance` then.
template <class Load>
MOTE_LANE bool is_known_at(const Vec3<float>& point, const SurfaceTable<Load>& table,
                           float& distance) {
  const auto side = static_cast<unsigned>(table.cells);
  distance = distance_between(point, table.cells, [&](unsigned x, unsigned y, unsigned z) {
    return table.distance((z * side + y) * side + x);
  });
  const auto cells = static_cast<float>(table.cells);
  if (is_known_for_light(distance, cells)) return true;
  if (table.first_part == nullptr) return false;
  bool all = true;
  const auto part_at = [&](unsigned x, unsigned y, unsigned z) {
    const CellPart at = cell_part(x, y, z, side);
    const std::uint32_t first = table.first_part[at.cell];
    if (first != kNoParts) return table.part_distance(first + at.part);
    all = false;
    return 0.0f;
  };
  distance = distance_between(point, table.cells * static_cast<int>(kCellSide), part_at);
  return all && is_known_for_light(distance, cells * static_cast<float>(kCellSide));
}

}  // namespace mote
