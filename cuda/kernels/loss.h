#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/kernels/frame.h"
#include "math/exposure.h"

namespace mote::cuda {

/// The sums over the pixels, in this order. The first three are not scaled by LossArgs::scale.
enum LossSum {
  kAbsoluteSum,  // weight * |x - y|, also summed over channels
  kSsimSum,      // weight * SSIM
  kSquaredSum,   // weight * (x - y)^2
  kExposureSum,  // dL/dexposure: kExposureValues
  // dL/dbackground: 3 values, behind splats and photograph
  kBackgroundSum = kExposureSum + kExposureValues,
  kLossSums = kBackgroundSum + 3
};

/// The loss of an image and its gradient. L is scale * (sum of weight * ((1 - ssim_weight) |x - y|
/// + ssim_weight (1 - SSIM))).
struct LossArgs {
  int width, height;
  const float* rendered;      // [h][w][3] with background, before exposure
  const float* alpha;         // [h][w] of the rendered image
  const std::uint8_t* photo;  // [h][w][photo_channels]
  int photo_channels;         // 3, or 4 with straight alpha, composed over `background`
  const std::uint8_t* mask;   // [h][w] weight / 255, or null
  float background[3];
  float exposure[kExposureValues];  // rows {m0, m1, m2, offset}
  float ssim_weight;
  float scale;         // 1 / (3 * sum of weights)
  float* derivatives;  // [3][4][h][w] scratch; unused if ssim_weight is 0
  float* d_rendered;   // [h][w][3] dL/drendered; written
  float* partials;     // [loss_blocks()][kLossSums] sums per block; written
  const FrameCounters* counters;
};

unsigned loss_blocks(int width, int height);

void run_loss(const LossArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
