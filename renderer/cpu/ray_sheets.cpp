#include "cpu/ray_sheets.h"

#include <utility>

namespace mote {

void find_sheet(const Dividers& dividers, std::size_t pixel, RaySheets& sheets) {
  sheets.depth = std::numeric_limits<float>::infinity();
  sheets.opacity = 0;
  const std::span<const Frame> frames = dividers.sheets;
  const auto place = [&](std::size_t i) {
    return std::pair(frames[i].depth_expected.pixels[pixel], i);
  };
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (!(frames[i].alpha.pixels[pixel] > 0)) continue;
    int in_front = 0;
    for (std::size_t k = 0; k < frames.size(); ++k) {
      in_front += frames[k].alpha.pixels[pixel] > 0 && place(k) < place(i);
    }
    if (in_front != sheets.part) continue;
    sheets.depth = dividers.depth_scale * place(i).first;
    sheets.opacity = frames[i].alpha.pixels[pixel];
  }
}

void pass_sheet(const Dividers& dividers, std::size_t pixel, float transmittance,
                RaySheets& sheets) {
  sheets.light *= transmittance * (1 - sheets.opacity);
  ++sheets.part;
  find_sheet(dividers, pixel, sheets);
}

}  // namespace mote
