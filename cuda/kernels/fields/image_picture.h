#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/fields/field_values.h"
#include "cuda/kernels/fields/stage_ticks.h"
#include "cuda/pictures/picture_images.h"
#include "fields/image_view.h"

namespace mote::cuda {

/// A picture of a neural image.
struct ImagePictureArgs {
  FieldTables field;  // of two dimensions and three outputs
  ImageView view;
  int width, height;     // px
  int samples_per_side;  // of a pixel
  bool hdr;              // values are linear light
  float background[3];
  PictureImages images;             // no normals
  unsigned long long* stage_ticks;  // [kFieldStages]: added to; null: not needed
};

/// Draws the picture in one kernel: rays, encoding, network, tone curve and background.
void run_image_picture(const ImagePictureArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
