#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "core/image.h"

namespace mote {

// How a camera was held, as EXIF tells it: a picture is stored as the sensor was read, and a number
// from 1 to 8 says how it is shown upright. Sources: Exif 2.32, 4.6.4 A (tag Orientation); PNG
// specification, third edition, 11.3.3.6 (eXIf).

/// 1 where the picture is upright as it is stored, and where nothing says otherwise.
using Orientation = int;

/// Whether width and height change places.
inline bool swaps_sides(Orientation orientation) {
  return orientation >= 5;
}

/// Where the tag stands in the bytes of a PNG or JPEG.
struct OrientationTag {
  Orientation value = 1;
  std::size_t offset = 0;  // of its two bytes
  bool big_endian = false;
};

/// None where there is no tag, where it is damaged, and for other files.
std::optional<OrientationTag> find_orientation(std::span<const std::byte> file);

/// The orientation of a PNG or JPEG, of which no more is read than it takes to know. Throws Error
/// where it cannot be read.
Orientation read_orientation(const std::filesystem::path& path);

/// The picture upright. A channel is a byte of a pixel, so that samples of 16 bits are two.
Image8 turned(const Image8& image, Orientation orientation);

/// The result of turning a picture upright.
struct Upright {
  std::string bytes;
  bool trimmed = false;  // by less than a block of 16 pixels at an edge, which cannot be turned
};

/// A JPEG turned upright without decoding its blocks, so that nothing of them is lost; its tag then
/// says so, and all else that it tells of the camera stays. Throws Error, naming it, where it is
/// damaged or too small.
Upright upright_jpeg(std::span<const std::byte> file, Orientation orientation,
                     const std::string& name);

/// A PNG turned upright. Its pixels keep their bits, 16 a channel too, and its tag then says that
/// it is upright; all else that it tells of its colours and the camera stays. Throws Error, naming
/// it, where it is damaged.
Upright upright_png(std::span<const std::byte> file, Orientation orientation,
                    const std::string& name);

}  // namespace mote
