#pragma once

#include <cstddef>

namespace mote::present {

/// Four neighbours along an axis and what each counts for.
struct FilterTaps {
  std::size_t first = 0;  // the first of them; before the image's start and behind its end it goes
                          // on as its border, counted from kBorder_px before it
  float weights[4] = {};
};

/// Pixels that a row is continued by on both sides.
inline constexpr std::size_t kBorder_px = 2;

/// Floats of EnlargedRow::scratch: three rows with their borders, and what a vector reaches beyond.
constexpr std::size_t enlarge_scratch(std::size_t width) {
  return 3 * 3 * (width + 2 * kBorder_px) + 16;
}

/// One row of the result.
struct EnlargedRow {
  const float* rows[4] = {};  // of the image, rgb[width][3]
  float weights[4] = {};      // of these rows
  std::size_t width = 0;
  float* scratch = nullptr;
  const FilterTaps* across = nullptr;  // of each pixel of the result
  std::size_t out_width = 0;
  void* texels = nullptr;  // color8
  bool blue_first = false;
};

}  // namespace mote::present
