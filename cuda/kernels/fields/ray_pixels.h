#pragma once

// The pixels that rays draw, for kernels.

#include <cstddef>

#include "cuda/kernels/fields/ray_picture.h"
#include "cuda/pictures/texels.h"
#include "cuda/runtime/dialect.h"
#include "fields/applications/shown_ray.h"

namespace mote::cuda {

/// The pixel of a ray, if it is in the picture.
struct PicturePixel {
  std::size_t at;
  bool is_inside;
};

MOTE_DEVICE PicturePixel pixel_in(const RayPicture& picture, unsigned number) {
  const RayPixel pixel = pixel_of_ray(picture.first + number, picture.width);
  const auto width = static_cast<unsigned>(picture.width);
  return {std::size_t{pixel.y} * width + pixel.x,
          pixel.x < width && pixel.y < static_cast<unsigned>(picture.height)};
}

/// Writes the pixel of a part. `ended`: no light is left behind.
MOTE_DEVICE void store_pixel(const PictureImages& to, const float* background, SampleLight light,
                             std::size_t at, bool ended, DrawnColor drawn) {
  ShownRay shown;
  if (light == SampleLight::volume) {
    shown = shown_volume(drawn, ended, background);
  } else {
    if (ended) close_drawn(drawn);
    shown = shown_nerf(drawn, background);
  }
  write_color(to.texels, to.rgb, at, {shown.rgb[0], shown.rgb[1], shown.rgb[2]});
  if (to.alpha != nullptr) to.alpha[at] = shown.alpha;
  if (to.depth_expected != nullptr) to.depth_expected[at] = shown.depth_expected;
  if (to.depth_median != nullptr) to.depth_median[at] = drawn.depth_median;
  if (to.overdraw != nullptr) to.overdraw[at] = static_cast<float>(drawn.samples);
}

}  // namespace mote::cuda
