#include "io/video/video_orientation.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace mote {

VideoOrientation orientation_of(std::span<const std::int32_t, 9> matrix) {
  const std::int64_t a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
  if (std::abs(b) + std::abs(c) > std::abs(a) + std::abs(d)) {
    return {.swaps_axes = true, .flips_x = c < 0, .flips_y = b < 0};
  }
  return {.swaps_axes = false, .flips_x = a < 0, .flips_y = d < 0};
}

void put_as_shown(const std::uint8_t* rgb, std::ptrdiff_t stride, int width, int height,
                  const VideoOrientation& orientation, Image8& image) {
  constexpr std::ptrdiff_t kPixel = 3;
  if (orientation.swaps_axes) std::swap(width, height);
  image.resize_discard(width, height, static_cast<int>(kPixel));
  // From a pixel of the image to the one on its right, and to the one below.
  std::ptrdiff_t right = orientation.swaps_axes ? stride : kPixel,
                 down = orientation.swaps_axes ? kPixel : stride;
  if (orientation.flips_x) {
    rgb += (width - 1) * right;
    right = -right;
  }
  if (orientation.flips_y) {
    rgb += (height - 1) * down;
    down = -down;
  }
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* row = rgb + y * down;
    std::uint8_t* out = image.row(y);
    if (right == kPixel) {
      std::copy_n(row, kPixel * width, out);
      continue;
    }
    for (int x = 0; x < width; ++x) std::copy_n(row + x * right, kPixel, out + x * kPixel);
  }
}

}  // namespace mote
