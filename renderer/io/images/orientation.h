#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "core/image.h"

namespace mote {

// EXIF orientation. An image is stored as the sensor was read, and a number from 1 to 8 says how to
// display it upright. Sources: Exif 2.32, 4.6.4 A (tag Orientation); PNG specification, third
// edition, 11.3.3.6 (eXIf).

/// 1: the image is stored upright, or has no tag.
using Orientation = int;

/// Whether width and height are exchanged.
inline bool swaps_sides(Orientation orientation) {
  return orientation >= 5;
}

/// Whether the stored columns are from right to left, and the rows from bottom to top.
inline bool begins_at_right(Orientation orientation) {
  return orientation == 2 || orientation == 3 || orientation >= 7;
}
inline bool begins_at_bottom(Orientation orientation) {
  return orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
}

/// Position of the tag in the bytes of a PNG or JPEG.
struct OrientationTag {
  Orientation value = 1;
  std::size_t offset = 0;  // offset of its two bytes
  bool big_endian = false;
};

/// Empty where there is no tag, where it is damaged, and for other formats.
std::optional<OrientationTag> find_orientation(std::span<const std::byte> file);

/// The orientation of a PNG or JPEG; reads only the necessary part. Throws Error where it cannot be
/// read.
Orientation read_orientation(const std::filesystem::path& path);

/// The image turned upright. A channel is one byte of a pixel, so that 16-bit samples have two
/// channels.
Image8 turned(const Image8& image, Orientation orientation);

/// Result of turning an image upright.
struct Upright {
  std::string bytes;
  /// Less than a block of 16 pixels was cut at an edge, since it cannot be turned.
  bool trimmed = false;
};

/// Turns a JPEG upright without decoding its blocks, so without loss. Its tag then says upright;
/// other metadata stay. Throws Error, which names the file, where it is damaged or too small.
Upright upright_jpeg(std::span<const std::byte> file, Orientation orientation,
                     const std::string& name);

/// Turns a PNG upright. Its pixels keep their bit depth, also 16 bits per channel. Its tag then
/// says upright; colour information and other metadata stay. Throws Error, which names the file,
/// where it is damaged.
Upright upright_png(std::span<const std::byte> file, Orientation orientation,
                    const std::string& name);

}  // namespace mote
