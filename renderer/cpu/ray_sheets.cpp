#include "cpu/ray_sheets.h"

#include <utility>

#include "core/error.h"

namespace mote {
namespace {

/// The place of a sheet in the order of a pixel.
using SheetPlace = std::pair<float, int>;

SheetPlace place_of_sheet(const Dividers& dividers, std::size_t pixel, int sheet) {
  return {dividers.sheets[static_cast<std::size_t>(sheet)].depth_expected.pixels[pixel], sheet};
}

/// Sets the nearest sheet of the pixel behind the place.
void find_sheet_behind(const Dividers& dividers, std::size_t pixel, const SheetPlace& place,
                       RaySheets& sheets) {
  constexpr float kFar = std::numeric_limits<float>::infinity();
  sheets.sheet = RaySheets::kNone;
  sheets.depth = kFar;
  sheets.opacity = 0;
  SheetPlace nearest{kFar, std::numeric_limits<int>::max()};
  for (int i = 0; i < static_cast<int>(dividers.sheets.size()); ++i) {
    const float opacity = dividers.sheets[static_cast<std::size_t>(i)].alpha.pixels[pixel];
    const SheetPlace own = place_of_sheet(dividers, pixel, i);
    if (!(opacity > 0) || !(place < own) || !(own < nearest)) continue;
    nearest = own;
    sheets.sheet = i;
    sheets.depth = dividers.depth_scale * own.first;
    sheets.opacity = opacity;
  }
}

}  // namespace

RaySheets first_part(const Dividers& dividers, std::size_t pixel) {
  RaySheets sheets;
  constexpr SheetPlace kBeforeAll{-std::numeric_limits<float>::infinity(), RaySheets::kNone};
  find_sheet_behind(dividers, pixel, kBeforeAll, sheets);
  return sheets;
}

void pass_sheet(const Dividers& dividers, std::size_t pixel, float transmittance,
                RaySheets& sheets) {
  CHECK(sheets.sheet != RaySheets::kNone);
  sheets.light *= transmittance * (1 - sheets.opacity);
  ++sheets.part;
  find_sheet_behind(dividers, pixel, place_of_sheet(dividers, pixel, sheets.sheet), sheets);
}

}  // namespace mote
