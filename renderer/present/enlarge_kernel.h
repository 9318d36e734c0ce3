#pragma once

#include <cstddef>

namespace mote::present {

/// Four neighbours along an axis and their weights.
struct FilterTaps {
  std::size_t first = 0;  // index of the first one, counted from kBorder_px before the image;
                          // outside the image the border pixel is repeated
  float weights[4] = {};
};

/// Number of border pixels that a row is extended by on both sides.
inline constexpr std::size_t kBorder_px = 2;

/// Size of EnlargedRow::scratch in floats: three rows with their borders, and the overhang of a
/// vector.
constexpr std::size_t enlarge_scratch(std::size_t width) {
  return 3 * 3 * (width + 2 * kBorder_px) + 16;
}

/// One row of the result.
struct EnlargedRow {
  const float* rows[4] = {};  // rows of the image, rgb[width][3]
  float weights[4] = {};      // weights of these rows
  std::size_t width = 0;
  float* scratch = nullptr;
  const FilterTaps* across = nullptr;  // one per pixel of the result
  std::size_t out_width = 0;
  void* texels = nullptr;  // color8
  bool blue_first = false;
};

}  // namespace mote::present
