#pragma once

// The colours of a picture: floats, or texels for the screen with 8 bits per channel. For kernels.

#include <cstddef>
#include <cstdint>

#include "cuda/pictures/picture_images.h"
#include "cuda/runtime/dialect.h"
#include "math/vector.h"

namespace mote::cuda {

/// Rounded as in PNG files and present/texels.h. NaN becomes 0. Not fused, as on the CPU, so that
/// ties round alike.
MOTE_DEVICE std::uint32_t level_of(float value) {
  const float positive = value > 0.0f ? value : 0.0f;
  const float scaled = __fmul_rn(positive < 1.0f ? positive : 1.0f, 255.0f);
  return static_cast<std::uint32_t>(__fadd_rn(scaled, 0.5f));
}

/// RGBA from the lowest byte, or BGRA; opaque. `color`: display values.
MOTE_DEVICE std::uint32_t texel_of(const Vec3<float>& color, bool blue_first) {
  const std::uint32_t red = level_of(color.x), blue = level_of(color.z);
  const std::uint32_t first = blue_first ? blue : red, third = blue_first ? red : blue;
  return first | level_of(color.y) << 8 | third << 16 | 0xff000000u;
}

/// Writes pixel `at` of a picture to its texels if it has any, otherwise to `rgb`.
MOTE_DEVICE void write_color(const TexelTarget& to, float* rgb, std::size_t at,
                             const Vec3<float>& color) {
  if (to.texels != nullptr) {
    to.texels[at] = texel_of(color, to.blue_first);
    return;
  }
  rgb[3 * at] = color.x;
  rgb[3 * at + 1] = color.y;
  rgb[3 * at + 2] = color.z;
}

}  // namespace mote::cuda
