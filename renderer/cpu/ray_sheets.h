#pragma once

// Rays through a field that the layers of other models divide into parts.

#include <cstddef>
#include <limits>

#include "backend/backend.h"

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

/// The first part of the pixel. Sheets count in the order of their expected depths, and in that of
/// their numbers where depths are equal.
RaySheets first_part(const Dividers& dividers, std::size_t pixel);

/// Goes on to the part behind the sheet. `transmittance`: of the part in front of it.
void pass_sheet(const Dividers& dividers, std::size_t pixel, float transmittance,
                RaySheets& sheets);

}  // namespace mote
