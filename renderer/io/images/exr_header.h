#pragma once

#include <cstdint>

#include "core/file.h"

namespace mote {

/// The parts of an EXR's header from which the memory of its reading follows.
struct ExrHeader {
  int width = 0, height = 0;  // px, of the data window of the first part
  std::uint64_t block_bytes =
      0;  // of the rows or the tile that are stored together, without compression
};

/// Reads the header of a file that begins as an EXR (OpenEXR, "File Layout"). Throws Error for
/// attributes that reach beyond the file or have another size than their type, and for more blocks
/// of pixels than it has room for, for which the library would take the memory, for a part without
/// a data window or channels, and for blocks of more than kMostExrBlockBytes. Other damage is left
/// to the library.
ExrHeader read_exr_header(const InputFile& file);

/// Upper bound on ExrHeader::block_bytes.
inline constexpr std::uint64_t kMostExrBlockBytes = std::uint64_t{1} << 30;

}  // namespace mote
