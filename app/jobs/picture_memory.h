#pragma once

#include <cstdint>

namespace mote {

/// Size of the pictures that a command makes.
struct PictureSize {
  int width = 0, height = 0;          // px
  std::uint64_t bytes_per_pixel = 0;  // peak memory of one picture, per pixel
};

/// Memory of the viewer: frames in flight, their transfer and the window's own images.
inline constexpr std::uint64_t kViewBytesPerPixel = 64;

/// Throws Error, which names `option`, if the machine has less free memory than a picture needs.
void check_picture_memory(const PictureSize& size, const char* option);

}  // namespace mote
