#pragma once

// Pictures that stay on the device between who renders them and who shows them, though the two use
// different APIs. Who shows them owns the memory and exports it; who renders imports it. There are
// some places of equal size, each for one picture, and two timeline semaphores: the writer sets
// `written` to n when picture n is whole, the reader sets `read` to n when it has copied picture n.
// Numbers only grow. Where the device exports no semaphores the host keeps the order: the writer
// tells of a picture when it is whole, and the reader has copied it before it asks for the next.

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/file_descriptor.h"

namespace mote {

/// All that an import needs. Texels are 8 bits a channel and four channels, row by row without
/// gaps.
struct SharedPictures {
  std::array<std::uint8_t, 16> device_uuid{};  // the same in every API of the driver
  FileDescriptor memory{};                     // opaque
  std::size_t allocated_bytes = 0;             // what stands behind `memory`
  std::size_t places = 0, place_bytes = 0;     // place i begins at byte i * place_bytes
  bool blue_first = false;                     // BGRA instead of RGBA
  FileDescriptor written{}, read{};  // opaque, of timeline semaphores; -1: the host keeps the order
};

/// One picture in its place.
struct SharedPicture {
  std::size_t place = 0;
  std::uint64_t number = 0;  // from 1
  int width = 0, height = 0;
};

}  // namespace mote
