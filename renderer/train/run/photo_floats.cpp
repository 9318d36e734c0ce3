#include "train/run/photo_floats.h"

#include <algorithm>

namespace mote {

PhotoFloats photo_floats(const PhotoPixels& photo, const std::array<float, 3>& background) {
  const Image8& stored = photo.color;
  PhotoFloats floats;
  floats.color.resize_discard(stored.width, stored.height, 3);
  const auto channels = static_cast<std::size_t>(stored.channels);
  const std::size_t pixels = stored.pixels.size() / channels;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint8_t* from = stored.pixels.data() + i * channels;
    const float alpha = channels == 4 ? static_cast<float>(from[3]) / 255 : 1;
    for (std::size_t c = 0; c < 3; ++c) {
      floats.color.pixels[3 * i + c] =
          alpha * static_cast<float>(from[c]) / 255 + (1 - alpha) * background[c];
    }
  }
  if (photo.mask.pixels.empty()) return floats;
  floats.mask.resize_discard(photo.mask.width, photo.mask.height, 1);
  std::transform(photo.mask.pixels.span().begin(), photo.mask.pixels.span().end(),
                 floats.mask.pixels.data(),
                 [](std::uint8_t value) { return static_cast<float>(value) / 255; });
  return floats;
}

}  // namespace mote
