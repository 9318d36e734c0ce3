#pragma once

#include <cstdint>

namespace mote::cuda {

/// Memory that receives the picture as texels with 8 bits per channel instead of floats.
struct TexelTarget {
  std::uint32_t* texels = nullptr;  // [h][w]; null: floats
  bool blue_first = false;          // BGRA instead of RGBA
};

/// Where kernels of fields write a picture, [height][width][channels]. Null: not needed.
struct PictureImages {
  TexelTarget texels;  // in place of `rgb` if they are not null
  float *rgb, *alpha, *depth_expected, *depth_median, *overdraw, *normal;
};

}  // namespace mote::cuda
