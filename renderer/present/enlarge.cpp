#include "present/enlarge.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "present/enlarge_kernel.h"

namespace mote::present {
namespace {

void set_weights(Upscale upscale, double t, float (&weights)[4]) {
  if (upscale == Upscale::smooth) {
    weights[1] = static_cast<float>(1 - t);
    weights[2] = static_cast<float>(t);
    return;
  }
  const double t2 = t * t, t3 = t2 * t;  // Catmull-Rom
  weights[0] = static_cast<float>(-0.5 * t3 + t2 - 0.5 * t);
  weights[1] = static_cast<float>(1.5 * t3 - 2.5 * t2 + 1);
  weights[2] = static_cast<float>(-1.5 * t3 + 2 * t2 + 0.5 * t);
  weights[3] = static_cast<float>(0.5 * t3 - 0.5 * t2);
}

/// The taps of `out` pixels along an axis of `in` pixels. Tap 1 is the last pixel whose centre is
/// not right of the position. Indices count from the first border pixel.
std::vector<FilterTaps> taps_along(Upscale upscale, int in, int out) {
  std::vector<FilterTaps> taps(static_cast<std::size_t>(out));
  for (std::size_t i = 0; i < taps.size(); ++i) {
    const double place = (static_cast<double>(i) + 0.5) * in / out - 0.5;
    const double left = std::floor(place);  // at least -1
    taps[i].first = static_cast<std::size_t>(left - 1 + static_cast<double>(kBorder_px));
    set_weights(upscale, place - left, taps[i].weights);
  }
  return taps;
}

}  // namespace

void write_enlarged(const Image& color, Upscale upscale, int width, int height,
                    const TexelRows& rows) {
  CHECK(color.channels == 3 && width >= color.width && height >= color.height);
  CHECK(upscale != Upscale::nearest);
  const std::vector<FilterTaps> across = taps_along(upscale, color.width, width);
  const std::vector<FilterTaps> down = taps_along(upscale, color.height, height);
  std::vector<float> scratch(enlarge_scratch(static_cast<std::size_t>(color.width)));
  const auto enlarge_row = best_texel_kernels().enlarge_row;
  for (int y = 0; y < height; ++y) {
    const FilterTaps& taps = down[static_cast<std::size_t>(y)];
    EnlargedRow row;
    for (int k = 0; k < 4; ++k) {
      const int from = static_cast<int>(taps.first) + k - static_cast<int>(kBorder_px);
      row.rows[k] = color.row(std::clamp(from, 0, color.height - 1));
      row.weights[k] = taps.weights[k];
    }
    row.width = static_cast<std::size_t>(color.width);
    row.scratch = scratch.data();
    row.across = across.data();
    row.out_width = across.size();
    row.texels = rows.first + static_cast<std::size_t>(y) * rows.row_bytes;
    row.blue_first = rows.blue_first;
    enlarge_row(row);
  }
}

}  // namespace mote::present
