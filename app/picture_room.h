#pragma once

#include <cstdint>

namespace mote {

/// Pictures that a command makes.
struct PictureSize {
  int width = 0, height = 0;          // px
  std::uint64_t bytes_per_pixel = 0;  // of all that a picture of this size takes at a time
};

/// Of the viewer: frames in flight, their hand-over and the window's own images.
inline constexpr std::uint64_t kViewBytesPerPixel = 64;

/// Throws Error, naming `option`, where the machine has less memory left than a picture takes.
void check_picture_room(const PictureSize& size, const char* option);

}  // namespace mote
