#include "scene/photo_light.h"

#include <algorithm>
#include <array>

#include "math/display_curve.h"
#include "math/half.h"

namespace mote {
namespace {

Image8 copy_of(const Image8& image) {
  Image8 copy;
  if (image.pixels.empty()) return copy;
  copy.resize_discard(image.width, image.height, image.channels);
  std::ranges::copy(image.pixels.span(), copy.pixels.data());
  return copy;
}

std::uint8_t rounded(float value) {
  return static_cast<std::uint8_t>(255 * std::clamp(value, 0.0f, 1.0f) + 0.5f);
}

/// Calls pixel(i) with the first element of each pixel.
template <class Pixel>
void for_each_pixel(std::size_t elements, int channels, const Pixel& pixel) {
  for (std::size_t i = 0; i < elements; i += static_cast<std::size_t>(channels)) pixel(i);
}

}  // namespace

PhotoPixels displayed(const PhotoPixels& photo) {
  PhotoPixels shown{.color = copy_of(photo.color), .mask = copy_of(photo.mask)};
  if (!photo.is_linear()) return shown;
  const ImageLight& light = photo.light;
  shown.color.resize_discard(light.width, light.height, light.channels);
  for_each_pixel(light.pixels.size(), light.channels, [&](std::size_t i) {
    const std::uint16_t* from = light.pixels.data() + i;
    std::uint8_t* to = shown.color.pixels.data() + i;
    const float alpha = light.channels == 4 ? from_half(from[3]) : 1;
    for (std::size_t c = 0; c < 3; ++c) {
      to[c] = alpha > 0 ? rounded(display_from_linear(from_half(from[c]) / alpha)) : 0;
    }
    if (light.channels == 4) to[3] = rounded(alpha);
  });
  return shown;
}

PhotoPixels lit(const PhotoPixels& photo) {
  std::array<float, 256> light_of;
  for (std::size_t i = 0; i < light_of.size(); ++i) {
    light_of[i] = linear_from_display(static_cast<float>(i) / 255);
  }
  PhotoPixels result{.mask = copy_of(photo.mask)};
  const Image8& color = photo.color;
  result.light.resize_discard(color.width, color.height, color.channels);
  for_each_pixel(color.pixels.size(), color.channels, [&](std::size_t i) {
    const std::uint8_t* from = color.pixels.data() + i;
    std::uint16_t* to = result.light.pixels.data() + i;
    const float alpha = color.channels == 4 ? static_cast<float>(from[3]) / 255 : 1;
    for (std::size_t c = 0; c < 3; ++c) to[c] = to_half(alpha * light_of[from[c]]);
    if (color.channels == 4) to[3] = to_half(alpha);
  });
  return result;
}

ImageLight without_opaque_alpha(ImageLight image) {
  if (image.channels == 3) return image;
  const std::uint16_t opaque = to_half(1);
  ImageLight result;
  result.resize_discard(image.width, image.height, 3);
  for (std::size_t i = 0; 4 * i < image.pixels.size(); ++i) {
    if (image.pixels[4 * i + 3] != opaque) return image;
    std::copy_n(image.pixels.data() + 4 * i, 3, result.pixels.data() + 3 * i);
  }
  return result;
}

ImageLight cut_out(const ImageLight& image, const Image8& mask) {
  ImageLight result;
  result.resize_discard(image.width, image.height, 4);
  const auto channels = static_cast<std::size_t>(image.channels);
  for (std::size_t i = 0; i < mask.pixels.size(); ++i) {
    const std::uint16_t* in = image.pixels.data() + channels * i;
    const float weight = static_cast<float>(mask.pixels[i]) / 255;
    for (std::size_t c = 0; c < 4; ++c) {
      const float whole = c < channels ? from_half(in[c]) : 1;
      result.pixels[4 * i + c] = to_half(weight * whole);
    }
  }
  return result;
}

}  // namespace mote
