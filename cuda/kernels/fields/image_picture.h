#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/fields/field_values.h"
#include "fields/image_view.h"

namespace mote::cuda {

/// A picture of a neural image. Pointers may be null, but for `rgb`.
struct ImagePictureArgs {
  FieldTables field;  // of two dimensions and three outputs
  ImageView view;
  int width, height;     // px
  int samples_per_side;  // of a pixel
  bool hdr;              // values are linear light
  float background[3];
  float* rgb;       // [h][w][3]
  float* alpha;     // [h][w]
  float* depth;     // [h][w]
  float* overdraw;  // [h][w]
};

/// Draws the picture in one kernel: rays, encoding, network, tone curve and background.
void run_image_picture(const ImagePictureArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
