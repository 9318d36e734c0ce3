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

/// Receives a JPEG by rows.
struct JpegRowUse {
  /// Called once before the first row. Returns the bytes of memory that decoding may take.
  std::function<std::uint64_t(const ImageSize& size)> begin;
  /// Called now and then while scans are read before the first row. May be empty, and may throw.
  std::function<void()> wait;
  /// Called for all rows from the top.
  std::function<void(int y, const std::uint8_t* rgb)> take;
};

/// Reads a JPEG by rows. Memory is that of a few rows. The rows of a JPEG of several scans, such as
/// a progressive one, are known only at the end of the file: the coefficients, of 2 bytes each, are
/// kept in memory as far as begin() allows, else in a temporary file. The pixels are those of
/// read_image8(); grey ones have three equal channels. Throws Error for damaged files, CMYK, sides
/// above `most_side`, and if a temporary file is needed but cannot be written.
void read_jpeg_rows(const std::filesystem::path& path, int most_side, const JpegRowUse& use);

}  // namespace mote
