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

/// The size of a PNG or JPEG from its header. Throws as read_image8 does.
ImageSize read_image_size(const std::filesystem::path& path);

/// What a PNG or JPEG is, from all of its bytes.
struct ImageFacts {
  ImageSize size;
  int channels = 3;             // as read_image8 gives them
  int orientation = 1;          // EXIF's, see io/orientation.h; 1 is upright as stored
  bool black = false;           // the first channel, which is all of a grey mask, is 0 everywhere
  std::uint64_t signature = 0;  // of the file's bytes: their number and a checksum
};

/// Decodes the image, as coarsely as is enough to find damage. Throws as read_image8 does.
ImageFacts check_image(const std::filesystem::path& path);

/// Reads a PNG or JPEG as 8-bit with 1 to 4 channels as stored. Throws Error for anything else, for
/// a damaged file, and for sides above kMaxImageSide.
Image8 read_image8(const std::filesystem::path& path);

/// Writes 1 to 4 channels as PNG: clamped to 0..1, rounded to 8 bits. Appears whole or not at all,
/// as OutputFile says.
void write_png(const Image& image, const std::filesystem::path& path,
               Existing existing = Existing::replace);

/// Writes 32-bit float EXR, ZIP compressed; `channel_names` has one name a channel (for example
/// {"R","G","B"}, {"A"} or {"Z"}). Appears whole or not at all.
void write_exr(const Image& image, const std::vector<std::string>& channel_names,
               const std::filesystem::path& path);

}  // namespace mote
