#pragma once

// Conversion of pixels to texels for the device.

#include <cstddef>
#include <string_view>

#include "core/image.h"

namespace mote::present {

enum class TexelFormat {
  color8,   // RGBA, 8 bits, 0..1, as in a PNG
  color16,  // RGBA, half floats: for graded or linear values
};

std::size_t texel_bytes(TexelFormat format);

/// The destination of texels.
struct TexelRows {
  std::byte* first = nullptr;
  std::size_t row_bytes = 0;  // stride
  bool blue_first = false;    // color8 is BGRA, as in windows
};

/// Writes the texels of `color` [h][w][3]. The fourth channel is `alpha` ([h][w][1]), or 1 if that
/// is null. NaN becomes 0; color8 is rounded as in PNG files.
void write_texels(const Image& color, const Image* alpha, TexelFormat format,
                  const TexelRows& rows);

/// The texels of a picture of 1, 3 or 4 channels as color8.
void write_texels(const Image8& picture, const TexelRows& rows);

struct EnlargedRow;

/// The kernels of one instruction set.
struct TexelKernels {
  const char* name;
  /// Converts `count` pixels of rgb[3] and alpha (null: 1) to 4 bytes or 4 half floats each.
  void (*write_color8)(const float* rgb, const float* alpha, std::size_t count, void* texels);
  void (*write_color8_blue_first)(const float* rgb, const float* alpha, std::size_t count,
                                  void* texels);
  void (*write_color16)(const float* rgb, const float* alpha, std::size_t count, void* texels);
  void (*enlarge_row)(const EnlargedRow& row);
};

/// The best kernels that this processor supports.
const TexelKernels& best_texel_kernels();

/// The compiled kernels that this processor supports, best last; `count` gets their number.
const TexelKernels* const* texel_kernels(std::size_t& count);

}  // namespace mote::present
