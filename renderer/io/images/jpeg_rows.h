#pragma once

// JPEG by rows, with libjpeg: the functions of TurboJPEG decode whole pictures only.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "io/images/image_files.h"

namespace mote {

/// Whether a warning of the library is not a sign of damage. Extra bytes between two segments are
/// harmless, and many cameras write them. A large number of them results from damage.
bool is_harmless_jpeg_warning(const std::string& message, std::size_t file_bytes);

/// Reads a JPEG of one scan: calls begin(size), then take(y, rgb) for all rows from the top.
/// Memory is that of a few rows. Returns false, and calls nothing, for a JPEG of several scans, as
/// progressive ones are, whose rows are known only at the end of the file. The pixels are those of
/// read_image8(); grey ones have three equal channels. Throws Error for damaged files, CMYK, sides
/// above `most_side`, and several scans with a side above kMaxImageSide.
bool read_jpeg_rows(const std::filesystem::path& path, int most_side,
                    const std::function<void(const ImageSize& size)>& begin,
                    const std::function<void(int y, const std::uint8_t* rgb)>& take);

}  // namespace mote
