#pragma once

// Values of many positions in planes, one for each coordinate or feature, so that a pack of a
// kernel holds neighbouring positions. Planes are aligned to 64 bytes, and whole packs of 16 are
// read and written.

#include <cstddef>

namespace mote {

/// Number of positions to allocate in each plane.
constexpr std::size_t field_plane_stride(std::size_t positions) {
  return (positions + 15) / 16 * 16;
}

}  // namespace mote
