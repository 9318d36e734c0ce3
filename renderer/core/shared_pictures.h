#pragma once

// Pictures that stay on the device between the renderer and the presenter, which use different
// APIs. The presenter owns the memory and exports it; the renderer imports it. The memory has
// several places of equal size, each for one picture. Two timeline semaphores order the accesses:
// the writer sets `written` to n when picture n is complete, and the reader sets `read` to n when
// it has copied picture n. Picture numbers only increase. Where the device exports no semaphores,
// the host keeps the order: the writer reports a picture when it is complete, and the reader has
// copied it before it requests the next.

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/file_descriptor.h"

namespace mote {

/// The data for an import. Texels have four channels of 8 bits; rows are contiguous.
struct SharedPictures {
  std::array<std::uint8_t, 16> device_uuid{};  // the same in every API of the driver
  FileDescriptor memory{};                     // opaque
  std::size_t allocated_bytes = 0;             // size of the allocation of `memory`
  std::size_t places = 0, place_bytes = 0;     // place i begins at byte i * place_bytes
  bool blue_first = false;                     // BGRA instead of RGBA
  FileDescriptor written{}, read{};  // opaque, timeline semaphores; -1: the host keeps the order
};

/// One picture in its place.
struct SharedPicture {
  std::size_t place = 0;
  std::uint64_t number = 0;  // from 1
  int width = 0, height = 0;
};

}  // namespace mote
