#pragma once

// Pictures of splats with features (splats/kinds/feature_decoder.h).

#include <cuda_runtime.h>

#include "cameras/camera_floats.h"
#include "cuda/kernels/projection.h"
#include "cuda/pictures/picture_images.h"
#include "splats/kinds/feature_decoder.h"

namespace mote::cuda {

/// Replaces the colours of the visible splats, which are projected, by ProjectArgs::features, and
/// makes the queue of blending usable again.
void run_take_features(const ProjectArgs& args, cudaStream_t stream);

/// The blended features of a picture, [height][width][3], and where the colours go.
struct DecodeArgs {
  FeatureDecoder decoder;
  CameraFloats camera;
  int width, height;
  const float *base, *directional, *temporal;
  const float* marks;  // null: none
  const float* alpha;  // [height][width], multiplied with the colours; null: they are not
  TexelTarget texels;  // in place of `rgb` if they are not null
  float* rgb;
};

void run_decode(const DecodeArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
