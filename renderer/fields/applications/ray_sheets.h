#pragma once

// Rays through a field that the layers of other models divide into parts.

#include <cstddef>
#include <limits>

#include "lanes/lane.h"

namespace mote {

/// The part that a ray is in, and the sheet behind it.
struct RaySheets {
  static constexpr int kNone = -1;

  int part = 0;                                          // number of sheets in front of it
  int sheet = kNone;                                     // behind the part; kNone: none is left
  float light = 1;                                       // that is left in front of the part
  float depth = std::numeric_limits<float>::infinity();  // of the sheet, view z; none: infinite
  float opacity = 0;                                     // of the sheet
};

namespace ray_sheets {

/// The place of a sheet in the order of a pixel: by depth, and by number where depths are equal.
struct Place {
  float depth;
  int number;

  MOTE_LANE bool is_before(const Place& other) const {
    return depth < other.depth || (depth == other.depth && number < other.number);
  }
};

/// Sets the nearest sheet of the pixel behind the place.
template <class Sheets>
MOTE_LANE void find_behind(const Sheets& all, std::size_t pixel, const Place& place,
                           RaySheets& sheets) {
  constexpr float kFar = std::numeric_limits<float>::infinity();
  sheets.sheet = RaySheets::kNone;
  sheets.depth = kFar;
  sheets.opacity = 0;
  Place nearest{kFar, std::numeric_limits<int>::max()};
  for (int i = 0; i < all.count(); ++i) {
    const float opacity = all.opacity(i, pixel);
    const Place own{all.depth(i, pixel), i};
    if (!(opacity > 0) || !place.is_before(own) || !own.is_before(nearest)) continue;
    nearest = own;
    sheets.sheet = i;
    sheets.depth = all.depth_scale() * own.depth;
    sheets.opacity = opacity;
  }
}

}  // namespace ray_sheets

/// The first part of the pixel. `all`: has count(), depth(sheet, pixel) and opacity(sheet, pixel),
/// and depth_scale(), see Dividers. Sheets count in the order of their expected depths, and in that
/// of their numbers where depths are equal.
template <class Sheets>
MOTE_LANE RaySheets first_part_of(const Sheets& all, std::size_t pixel) {
  RaySheets sheets;
  ray_sheets::find_behind(all, pixel, {-std::numeric_limits<float>::infinity(), RaySheets::kNone},
                          sheets);
  return sheets;
}

/// Goes on to the part behind the sheet, which there is. `transmittance`: of the part in front of
/// it.
template <class Sheets>
MOTE_LANE void pass_sheet_of(const Sheets& all, std::size_t pixel, float transmittance,
                             RaySheets& sheets) {
  sheets.light *= transmittance * (1 - sheets.opacity);
  ++sheets.part;
  ray_sheets::find_behind(all, pixel, {all.depth(sheets.sheet, pixel), sheets.sheet}, sheets);
}

}  // namespace mote
