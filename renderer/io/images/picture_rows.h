#pragma once

// Pictures of any size by rows, for neural images. In contrast to read_image8(), it keeps the depth
// of the file and reads EXR.

#include <cstdint>
#include <filesystem>
#include <functional>

#include "io/images/image_files.h"

namespace mote {

/// The precision of a picture's values.
enum class PictureDepth { bits8, bits16, half };

struct PictureFacts {
  ImageSize size;
  PictureDepth depth = PictureDepth::bits8;
  bool is_linear = false;  // EXR: linear light without an upper bound; others: display values
  bool has_alpha = false;
};

/// Whether the file begins as a PNG, JPEG or EXR. False if it cannot be read.
bool is_picture_file(const std::filesystem::path& path);

/// Receives a row: red, green and blue of each pixel. Display values are from 0 to 1; transparent
/// pixels are over black.
using TakePictureRow = std::function<void(int y, const float* rgb)>;

/// Upper bound on a side, px. JPEG has at most 65,500.
inline constexpr int kMostPictureSide = 1 << 20;

/// Receives a picture by rows.
struct PictureUse {
  /// Called once before the first row. Returns the bytes of memory that decoding may take.
  std::function<std::uint64_t(const PictureFacts& facts)> begin;
  /// Called now and then while the file is read before the first row. May be empty, and may throw.
  std::function<void()> wait;
  /// Called for all rows from the top.
  TakePictureRow take;
};

/// Reads a picture by rows. Memory is that of a few rows. The rows of a JPEG of several scans
/// (progressive) and of an interlaced PNG are known only at the end of the file; what they need
/// until then is in memory as far as begin() allows, else in a temporary file. Throws Error for
/// other formats, damaged files, pictures that are too large, values that are not finite, and if a
/// temporary file is needed but cannot be written.
PictureFacts read_picture(const std::filesystem::path& path, const PictureUse& use);

}  // namespace mote
