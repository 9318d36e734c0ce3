#pragma once

// Rays through a field that the layers of other models divide into parts.

#include <cstddef>
#include <limits>

#include "backend/backend.h"

namespace mote {

/// The part that a ray is in, and the sheet behind it.
struct RaySheets {
  int part = 0;                                          // number of sheets in front of it
  float light = 1;                                       // that is left in front of it
  float depth = std::numeric_limits<float>::infinity();  // of the sheet, view z; none: infinite
  float opacity = 0;                                     // of the sheet
};

/// Sets the sheet of the pixel that is behind `sheets.part` others. Sheets count in the order of
/// their expected depths.
void find_sheet(const Dividers& dividers, std::size_t pixel, RaySheets& sheets);

/// Goes on to the part behind the sheet. `transmittance`: of the part in front of it.
void pass_sheet(const Dividers& dividers, std::size_t pixel, float transmittance,
                RaySheets& sheets);

}  // namespace mote
