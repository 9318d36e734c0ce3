#pragma once

// The pixels that rays draw, for kernels.

#include <cstddef>

#include "cuda/kernels/fields/ray_picture.h"
#include "cuda/pictures/texels.h"
#include "cuda/runtime/dialect.h"
#include "fields/applications/ray_sheets.h"
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

/// Where rays are drawn, and the light below which they end.
struct PartDrawing {
  const RayPicture& picture;
  SampleLight light;
  float stop;
};

/// Whether sheets divide the rays into parts.
MOTE_DEVICE bool is_divided(const RayPicture& picture) {
  return picture.parts != nullptr;
}

/// The first part of a ray; without sheets, the only one.
MOTE_DEVICE RaySheets first_part(const RayPicture& picture, unsigned number) {
  if (!is_divided(picture)) return {};
  const PicturePixel pixel = pixel_in(picture, number);
  return pixel.is_inside ? first_part_of(picture.sheets, pixel.at) : RaySheets{};
}

MOTE_DEVICE void store_part(const PartDrawing& to, int part, std::size_t at, bool ended,
                            const DrawnColor& drawn) {
  const RayPicture& picture = to.picture;
  store_pixel(is_divided(picture) ? picture.parts[part] : picture.images, picture.background,
              to.light, at, ended, drawn);
}

/// Stores the parts of a divided ray that end before a sample at `depth`, unless the ray ends in
/// one of them.
MOTE_DEVICE void pass_sheets(const PartDrawing& to, unsigned number, float depth, RaySheets& sheets,
                             DrawnColor& drawn) {
  const PicturePixel pixel = pixel_in(to.picture, number);
  while (sheets.light * drawn.color.transmittance >= to.stop && depth > sheets.depth) {
    store_part(to, sheets.part, pixel.at, false, drawn);
    pass_sheet_of(to.picture.sheets, pixel.at, drawn.color.transmittance, sheets);
    drawn = {};
  }
}

/// Stores the part that a ray is in, and empty ones behind it.
MOTE_DEVICE void store_last_parts(const PartDrawing& to, unsigned number, const RaySheets& sheets,
                                  const DrawnColor& drawn) {
  const PicturePixel pixel = pixel_in(to.picture, number);
  if (!pixel.is_inside) return;
  int part = sheets.part;
  store_part(to, part, pixel.at, sheets.light * drawn.color.transmittance < to.stop, drawn);
  while (++part <= to.picture.sheets.sheets) store_part(to, part, pixel.at, false, DrawnColor{});
}

}  // namespace mote::cuda
