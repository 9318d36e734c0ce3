#include "io/datasets/photo_decoding.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "cameras/lens_rays.h"
#include "core/error.h"
#include "io/images/exr_reading.h"
#include "io/images/image_files.h"
#include "scene/photo_light.h"

namespace mote {
namespace {

/// The image with the channels that `pick`(pixel in, pixel out) writes.
template <class Pick>
Image8 with_channels(const Image8& image, int channels, const Pick& pick) {
  Image8 result;
  result.resize_discard(image.width, image.height, channels);
  const std::size_t pixels =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  const std::uint8_t* in = image.pixels.data();
  std::uint8_t* out = result.pixels.data();
  for (std::size_t i = 0; i < pixels; ++i, in += image.channels, out += channels) pick(in, out);
  return result;
}

Image8 without_alpha(const Image8& image) {
  return with_channels(image, 3,
                       [](const std::uint8_t* in, std::uint8_t* out) { std::copy_n(in, 3, out); });
}

bool is_opaque(const Image8& image) {
  for (std::size_t i = 3; i < image.pixels.size(); i += 4) {
    if (image.pixels[i] != 255) return false;
  }
  return true;
}

/// Three channels, or four where a pixel is transparent.
Image8 as_color(Image8 image) {
  switch (image.channels) {
    case 1:
      return with_channels(
          image, 3, [](const std::uint8_t* in, std::uint8_t* out) { std::fill_n(out, 3, *in); });
    case 2:
      return as_color(with_channels(image, 4, [](const std::uint8_t* in, std::uint8_t* out) {
        std::fill_n(out, 3, in[0]);
        out[3] = in[1];
      }));
    case 4:
      return is_opaque(image) ? without_alpha(image) : std::move(image);
    default:
      return image;
  }
}

/// Four channels, with alpha 0 in pixels of full white or black, as the recipe says.
Image8 with_clear_pixels(const Image8& image, const PhotoRecipe& recipe) {
  const int channels = image.channels;
  return with_channels(image, 4, [&](const std::uint8_t* in, std::uint8_t* out) {
    for (int c = 0; c < 3; ++c) out[c] = in[channels < 3 ? 0 : c];
    const auto all_are = [out](int value) {
      return std::all_of(out, out + 3, [value](std::uint8_t v) { return v == value; });
    };
    const bool is_clear = (recipe.white_is_transparent && all_are(255)) ||
                          (recipe.black_is_transparent && all_are(0));
    out[3] = is_clear ? std::uint8_t{0} : channels % 2 == 0 ? in[channels - 1] : std::uint8_t{255};
  });
}

/// The first channel, the only one of a grey mask.
Image8 as_mask(Image8 image) {
  if (image.channels == 1) return image;
  return with_channels(image, 1, [](const std::uint8_t* in, std::uint8_t* out) { *out = in[0]; });
}

Image8 read_upright(const std::filesystem::path& path, Orientation orientation) {
  Image8 image = read_image8(path);
  return orientation == 1 ? std::move(image) : turned(image, orientation);
}

/// The image as stored, upright.
PhotoPixels read_pixels(const PhotoRecipe& recipe) {
  PhotoPixels pixels;
  if (recipe.is_exr) {
    pixels.light = without_opaque_alpha(read_exr_light(recipe.image));
    return pixels;
  }
  Image8 color = read_upright(recipe.image, recipe.orientation);
  if (recipe.white_is_transparent || recipe.black_is_transparent) {
    color = with_clear_pixels(color, recipe);
  }
  pixels.color = as_color(std::move(color));
  return recipe.is_linear ? lit(pixels) : std::move(pixels);
}

/// A mask at the size of the image.
Image8 as_large_as_image(const Image8& mask, const PhotoRecipe& recipe) {
  const Camera& source = recipe.rectification.source;
  const Camera own = resized(source, mask.width, mask.height);
  return rectify(mask, {own, {}, source});
}

Image8 read_mask(const PhotoRecipe& recipe) {
  return as_large_as_image(as_mask(read_upright(recipe.mask, recipe.mask_orientation)), recipe);
}

/// The weights of the pixels by the mask of those that do not count.
Image8 read_counted(const PhotoRecipe& recipe) {
  const Image8 mask = read_upright(recipe.uncounted, recipe.uncounted_orientation);
  const int colors = mask.channels - (mask.channels % 2 == 0 ? 1 : 0);
  const Image8 weights = with_channels(mask, 1, [&](const std::uint8_t* in, std::uint8_t* out) {
    const bool is_black = std::all_of(in, in + colors, [](std::uint8_t v) { return v == 0; });
    *out = is_black ? 255 : 0;
  });
  return as_large_as_image(weights, recipe);
}

/// The smaller weights of two masks, of which the first may be empty.
Image8 both_masks(Image8 mask, Image8 other) {
  if (mask.pixels.empty()) return other;
  for (std::size_t i = 0; i < mask.pixels.size(); ++i) {
    mask.pixels[i] = std::min(mask.pixels[i], other.pixels[i]);
  }
  return mask;
}

Image8 cut_out(const Image8& color, const Image8& mask) {
  const std::uint8_t* weight = mask.pixels.data();
  const int channels = color.channels;
  return with_channels(color, 4, [&](const std::uint8_t* in, std::uint8_t* out) {
    std::copy_n(in, 3, out);
    const int alpha = channels == 4 ? in[3] : 255;
    out[3] = static_cast<std::uint8_t>((alpha * *weight++ + 127) / 255);
  });
}

template <class T>
ImageOf<T> rectified(ImageOf<T> image, const Rectification& rectification) {
  return is_untouched(rectification) ? std::move(image) : rectify(image, rectification);
}

/// Whether the lens of the photograph's camera shows no direction at some pixels.
bool has_unseen_pixels(const PhotoRecipe& recipe) {
  const auto& lens = recipe.rectification.target.lens;
  return lens != nullptr && lens->seen_share() < 1;
}

/// Takes the weight from the pixels that have no ray.
void mask_unseen(const Camera& camera, PhotoPixels& pixels) {
  Image8& mask = pixels.mask;
  if (mask.pixels.empty()) {
    mask.resize_discard(camera.width, camera.height, 1);
    std::ranges::fill(mask.pixels.span(), std::uint8_t{255});
  }
  for (int y = 0; y < camera.height; ++y) {
    std::uint8_t* row = mask.row(y);
    for (int x = 0; x < camera.width; ++x) {
      const glm::dvec2 plane = (glm::dvec2(x + 0.5, y + 0.5) - camera.center_px) / camera.focal_px;
      if (!camera.lens->sees(plane)) row[x] = 0;
    }
  }
}

}  // namespace

std::size_t expected_bytes(const PhotoRecipe& recipe, int level) {
  const Camera& camera = recipe.rectification.target;
  const auto width = static_cast<std::size_t>(std::max(camera.width >> level, 1));
  const auto height = static_cast<std::size_t>(std::max(camera.height >> level, 1));
  const bool has_mask = (!recipe.mask.empty() && !recipe.segment) || !recipe.uncounted.empty() ||
                        has_unseen_pixels(recipe);
  const std::size_t value_bytes = recipe.is_linear ? sizeof(std::uint16_t) : 1;
  return width * height *
         (value_bytes * static_cast<std::size_t>(recipe.channels) + (has_mask ? 1 : 0));
}

std::size_t passing_bytes(const PhotoRecipe& recipe) {
  const Camera& source = recipe.rectification.source;
  const auto pixels =
      static_cast<std::size_t>(source.width) * static_cast<std::size_t>(source.height);
  // Light that becomes display values is there beside them, and the other way round.
  const bool is_light = recipe.is_exr || recipe.is_linear;
  const bool is_converted = recipe.is_exr != recipe.is_linear;
  const auto channels =
      static_cast<std::size_t>(recipe.channels) * (is_light ? sizeof(std::uint16_t) : 1) +
      static_cast<std::size_t>(is_converted ? recipe.channels : 0);
  std::error_code ignored;
  const std::uintmax_t file_bytes = std::filesystem::file_size(recipe.image, ignored);
  const std::size_t encoded = ignored ? 0 : static_cast<std::size_t>(file_bytes);
  if (is_untouched(recipe.rectification) && !recipe.segment && !is_converted) return encoded;
  // The file's memory is released after decoding, before the mask is read.
  const bool has_mask = !recipe.mask.empty() || !recipe.uncounted.empty();
  const std::size_t stored = pixels * (channels + (has_mask ? 1 : 0));
  return std::max(encoded + pixels * channels, stored);
}

std::size_t bytes_of(const PhotoPixels& pixels) {
  return pixels.color.pixels.size() + pixels.mask.pixels.size() +
         pixels.light.pixels.size() * sizeof(std::uint16_t);
}

PhotoPixels decode_photo(const PhotoRecipe& recipe) {
  const Camera& source = recipe.rectification.source;
  PhotoPixels pixels = read_pixels(recipe);
  if (pixels.width() != source.width || pixels.height() != source.height) {
    throw Error("now has " + std::to_string(pixels.width()) + "x" +
                    std::to_string(pixels.height()) + " pixels, but had " +
                    std::to_string(source.width) + "x" + std::to_string(source.height),
                recipe.image.string(), "do not change the dataset while it is in use");
  }
  if (!recipe.mask.empty()) {
    Image8 mask = read_mask(recipe);
    if (!recipe.segment) {
      pixels.mask = rectified(std::move(mask), recipe.rectification);
    } else if (pixels.is_linear()) {
      pixels.light = without_opaque_alpha(cut_out(pixels.light, mask));
    } else {
      pixels.color = as_color(cut_out(pixels.color, mask));
    }
  }
  if (!recipe.uncounted.empty()) {
    pixels.mask =
        both_masks(std::move(pixels.mask), rectified(read_counted(recipe), recipe.rectification));
  }
  if (pixels.is_linear()) {
    pixels.light = rectified(std::move(pixels.light), recipe.rectification);
  } else {
    pixels.color = rectified(std::move(pixels.color), recipe.rectification);
  }
  if (pixels.is_linear() && !recipe.is_linear) {
    pixels.color = displayed(pixels).color;
    pixels.light = {};
  }
  if (has_unseen_pixels(recipe)) mask_unseen(recipe.rectification.target, pixels);
  return pixels;
}

PhotoPixels halved(const PhotoPixels& pixels) {
  PhotoPixels result;
  if (pixels.is_linear()) {
    result.light = halved(pixels.light);
  } else {
    result.color = halved(pixels.color);
  }
  if (!pixels.mask.pixels.empty()) result.mask = halved(pixels.mask);
  return result;
}

}  // namespace mote
