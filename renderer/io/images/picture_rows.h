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

/// Upper bound on a side, px. JPEG has at most 65,500, and pictures that are decoded at once have
/// at most kMaxImageSide.
inline constexpr int kMostPictureSide = 1 << 20;

/// Calls begin(facts), then take() for all rows from the top. Memory is that of a few rows, except
/// for JPEG of several scans (progressive) and interlaced PNG, which are decoded at once. Throws
/// Error for other formats, damaged files, pictures that are too large, and values that are not
/// finite.
PictureFacts read_picture(const std::filesystem::path& path,
                          const std::function<void(const PictureFacts& facts)>& begin,
                          const TakePictureRow& take);

}  // namespace mote
