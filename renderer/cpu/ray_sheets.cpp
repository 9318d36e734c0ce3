#include "cpu/ray_sheets.h"

#include "core/error.h"

namespace mote {
namespace {

struct SheetFrames {
  const Dividers& dividers;

  int count() const { return static_cast<int>(dividers.sheets.size()); }
  float depth_scale() const { return dividers.depth_scale; }
  float depth(int sheet, std::size_t pixel) const {
    return dividers.sheets[static_cast<std::size_t>(sheet)].depth_expected.pixels[pixel];
  }
  float opacity(int sheet, std::size_t pixel) const {
    return dividers.sheets[static_cast<std::size_t>(sheet)].alpha.pixels[pixel];
  }
};

}  // namespace

RaySheets first_part(const Dividers& dividers, std::size_t pixel) {
  return first_part_of(SheetFrames{dividers}, pixel);
}

void pass_sheet(const Dividers& dividers, std::size_t pixel, float transmittance,
                RaySheets& sheets) {
  CHECK(sheets.sheet != RaySheets::kNone);
  pass_sheet_of(SheetFrames{dividers}, pixel, transmittance, sheets);
}

}  // namespace mote
