#pragma once

// EXR pictures by rows, and EXR photographs.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "core/image.h"

namespace mote {

/// Whether the file begins as an EXR.
bool is_exr(std::span<const std::byte> head);

struct ExrFacts {
  int width = 0, height = 0;  // px, of the data window
  bool has_alpha = false;
};

/// The facts of an EXR from its header. Throws Error as read_exr_rows() does.
ExrFacts read_exr_facts(const std::filesystem::path& path, int most_side);

/// Receives a row: red, green, blue and, if asked for and stored, alpha of each pixel.
using TakeExrRow = std::function<void(int y, const float* pixels)>;

/// Calls begin(facts), then take() for all rows from the top. Memory is that of a few rows. Throws
/// Error for files that are damaged, have a side above `most_side`, have neither R, G and B nor Y
/// alone, or have a value that is not finite.
void read_exr_rows(const std::filesystem::path& path, int most_side, bool with_alpha,
                   const std::function<void(const ExrFacts& facts)>& begin, const TakeExrRow& take);

/// The picture as light: 4 channels if it has alpha, else 3. EXR stores colour multiplied with
/// alpha (OpenEXR, "Technical Introduction"). Negative values become 0, those above the largest
/// half that half, and alpha is clamped to 0..1. Throws as read_exr_rows() does.
ImageLight read_exr_light(const std::filesystem::path& path);

/// The channels of these names as floats, interleaved in their order. For exact data such as
/// velocities; values may be negative. Throws Error for files that are damaged, lack a channel,
/// have a side above kMaxImageSide, or have a value that is not finite.
Image read_exr_channels(const std::filesystem::path& path, std::span<const std::string> names);

}  // namespace mote
