#pragma once

#include <cstddef>
#include <cstdint>

#include "core/buffer.h"

namespace mote {

/// Interleaved pixels, rows from the top: [height][width][channels].
template <class T>
struct ImageOf {
  int width = 0, height = 0, channels = 0;
  Buffer<T> pixels;

  /// Keeps the memory where it is large enough. The content is unspecified afterwards.
  void resize_discard(int new_width, int new_height, int new_channels) {
    width = new_width;
    height = new_height;
    channels = new_channels;
    pixels.resize_discard(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                          static_cast<std::size_t>(channels));
  }
  T* row(int y) {
    return pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) *
                               static_cast<std::size_t>(channels);
  }
  const T* row(int y) const { return const_cast<ImageOf*>(this)->row(y); }
};

using Image = ImageOf<float>;          // linear blend values; display-referred colour in 0..1
using Image8 = ImageOf<std::uint8_t>;  // display-referred, 0..255
/// Linear light without an upper bound, at least 0, as IEEE halves (math/half.h). With 4 channels,
/// colour is multiplied with alpha.
using ImageLight = ImageOf<std::uint16_t>;

/// The largest width and height of an image, px.
inline constexpr int kMaxImageSide = 16384;

}  // namespace mote
