#pragma once

// Rays through a field that the layers of other models divide into parts.

#include <cstddef>

#include "backend/backend.h"
#include "fields/applications/ray_sheets.h"

namespace mote {

/// See first_part_of().
RaySheets first_part(const Dividers& dividers, std::size_t pixel);

/// See pass_sheet_of().
void pass_sheet(const Dividers& dividers, std::size_t pixel, float transmittance,
                RaySheets& sheets);

}  // namespace mote
