#pragma once

// Pictures that rays draw. Pixels are numbered as rays in square blocks, since rays of neighbours
// read the same cells. Blocks at the border have numbers outside of the picture, too.

#include <cuda_runtime.h>

#include <cstddef>

#include "cuda/kernels/fields/ray_march.h"
#include "cuda/kernels/fields/sample_light.h"
#include "cuda/pictures/picture_images.h"
#include "fields/chosen_rays.h"
#include "lanes/lane.h"

namespace mote::cuda {

inline constexpr unsigned kRayBlock_px = 8;

struct RayPixel {
  unsigned x, y;
};

/// Number of rays of a picture.
constexpr std::size_t rays_of_picture(int width, int height) {
  const auto blocks = [](int size) {
    return (static_cast<std::size_t>(size) + kRayBlock_px - 1) / kRayBlock_px;
  };
  return blocks(width) * blocks(height) * kRayBlock_px * kRayBlock_px;
}

/// The pixel of a ray; outside of the picture, it has no pixel.
MOTE_LANE RayPixel pixel_of_ray(unsigned ray, int width) {
  const unsigned across = (static_cast<unsigned>(width) + kRayBlock_px - 1) / kRayBlock_px;
  const unsigned block = ray / (kRayBlock_px * kRayBlock_px);
  const unsigned own = ray % (kRayBlock_px * kRayBlock_px);
  return {block % across * kRayBlock_px + own % kRayBlock_px,
          block / across * kRayBlock_px + own / kRayBlock_px};
}

/// Sheets that divide rays into parts (Dividers), on the device.
struct SheetImages {
  int sheets;
  std::size_t pixels;
  const float *depths, *opacities;  // [sheets][pixels]
  float scale;                      // of depths

  MOTE_LANE int count() const { return sheets; }
  MOTE_LANE float depth_scale() const { return scale; }
  MOTE_LANE float depth(int sheet, std::size_t pixel) const {
    return depths[static_cast<std::size_t>(sheet) * pixels + pixel];
  }
  MOTE_LANE float opacity(int sheet, std::size_t pixel) const {
    return opacities[static_cast<std::size_t>(sheet) * pixels + pixel];
  }
};

/// A picture that rays draw; width 0: none.
struct RayPicture {
  int width, height;
  float background[3];  // display values
  PictureImages images;
  SheetImages sheets;
  const PictureImages* parts;  // [sheets + 1], on the device, in place of `images`; null: no sheets
  unsigned first;              // number of the first ray of a launch
};

/// Pictures of rays in waves.
struct RayPartArgs {
  RayState* rays;  // [count]
  unsigned count;
  SampleLight light;
  float stop;
  RayPicture picture;
};
/// Puts rays that sheets divide into their first parts.
void run_first_parts(const RayPartArgs& args, cudaStream_t stream);
/// Draws the parts that rays are in when all their samples are added, and those behind.
void run_last_parts(const RayPartArgs& args, cudaStream_t stream);

/// The rays of a picture through the middle of pixels, of a pinhole camera at rest.
struct CameraRayArgs {
  float origin[3];  // of the camera, in the field's frame
  PlainCamera<float> camera;
  float world_per_field;  // length
  int width, height;
  unsigned first, count;  // numbers of the rays
  RayStart* starts;       // [count]
};
void run_camera_rays(const CameraRayArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
