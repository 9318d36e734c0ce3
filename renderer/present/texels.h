#pragma once

// How pixels are laid out for the device: a texel of one number a channel, as it samples them.

#include <cstddef>
#include <string_view>

#include "core/image.h"

namespace mote::present {

enum class TexelFormat {
  color8,   // RGBA, 8 bits, 0..1: what a PNG holds
  color16,  // RGBA, half floats: for what is graded or linear
};

std::size_t texel_bytes(TexelFormat format);

/// Where texels go.
struct TexelRows {
  std::byte* first = nullptr;
  std::size_t row_bytes = 0;  // from row to row
  bool blue_first = false;    // color8 is BGRA, as windows have it
};

/// Writes the texels of `color` [h][w][3]. The fourth channel is
/// `alpha` ([h][w][1]), or 1 where that is null. Colour that is not a number becomes 0; color8 is
/// rounded as PNG files are.
void write_texels(const Image& color, const Image* alpha, TexelFormat format,
                  const TexelRows& rows);

/// The texels of a picture of 1, 3 or 4 channels as color8.
void write_texels(const Image8& picture, const TexelRows& rows);

struct EnlargedRow;

/// What one instruction set brings along for this.
struct TexelKernels {
  const char* name;
  /// `count` pixels of rgb[3] and alpha (null: 1) to 4 bytes or 4 half floats each.
  void (*write_color8)(const float* rgb, const float* alpha, std::size_t count, void* texels);
  void (*write_color8_blue_first)(const float* rgb, const float* alpha, std::size_t count,
                                  void* texels);
  void (*write_color16)(const float* rgb, const float* alpha, std::size_t count, void* texels);
  void (*enlarge_row)(const EnlargedRow& row);
};

/// The best that this processor runs.
const TexelKernels& best_texel_kernels();

/// Those that were compiled and this processor runs, best last; `count` gets their number.
const TexelKernels* const* texel_kernels(std::size_t& count);

}  // namespace mote::present
