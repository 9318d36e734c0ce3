#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/image.h"

namespace mote {

struct ImageSize {
  int width = 0, height = 0;  // px
};

/// The size of a PNG, JPEG or EXR from its header. Throws the errors of read_image8().
ImageSize read_image_size(const std::filesystem::path& path);

/// Facts about a PNG, JPEG or EXR, from its complete content.
struct ImageFacts {
  ImageSize size;
  int channels = 3;             // as returned by read_image8() or read_exr_light()
  bool is_linear = false;       // an EXR
  int orientation = 1;          // EXIF, see io/images/orientation.h; 1: stored upright
  bool black = false;           // the first channel, the only one of a grey mask, is 0 everywhere;
                                // not determined for EXR
  std::uint64_t signature = 0;  // hash of the file's bytes: size and checksum
};

/// Decodes the image at the lowest resolution that reveals damage. Throws the errors of
/// read_image8() and read_exr_light().
ImageFacts check_image(const std::filesystem::path& path);

/// Whether the file begins as an EXR. Throws Error if it cannot be read.
bool is_exr_file(const std::filesystem::path& path);

/// Reads a PNG or JPEG as 8 bits with its 1 to 4 channels. Throws Error for other formats, damaged
/// files, and sides above kMaxImageSide.
Image8 read_image8(const std::filesystem::path& path);

/// Writes 1 to 4 channels as PNG, clamped to 0..1 and rounded to 8 bits. Appears whole or not at
/// all; see OutputFile.
void write_png(const Image& image, const std::filesystem::path& path,
               Existing existing = Existing::replace);

/// Writes 32-bit float EXR, ZIP compressed. `channel_names` has one name per channel, such as
/// {"R","G","B"}, {"A"} or {"Z"}. Appears whole or not at all.
void write_exr(const Image& image, const std::vector<std::string>& channel_names,
               const std::filesystem::path& path);

}  // namespace mote
