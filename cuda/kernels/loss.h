#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/kernels/frame.h"

namespace mote::cuda {

/// What is summed over the pixels, in this order. The first three are not scaled by
/// LossArgs::scale.
enum LossSum {
  kAbsoluteSum,                        // weight * |x - y|, over the channels too
  kSsimSum,                            // weight * SSIM
  kSquaredSum,                         // weight * (x - y)^2
  kExposureSum,                        // dL/dexposure, 12 of them
  kBackgroundSum = kExposureSum + 12,  // dL/dbackground, 3: behind splats and photograph
  kLossSums = kBackgroundSum + 3
};

/// The loss of a picture and its gradient; L is scale * (sum of weight * ((1 - ssim_weight) |x - y|
/// + ssim_weight (1 - SSIM))).
struct LossArgs {
  int width, height;
  const float* rendered;      // [h][w][3] with the background behind, before exposure
  const float* alpha;         // [h][w] of what was rendered
  const std::uint8_t* photo;  // [h][w][photo_channels]
  int photo_channels;         // 3, or 4 with straight alpha, composed over `background`
  const std::uint8_t* mask;   // [h][w] weight / 255, or null
  float background[3];
  float exposure[12];  // rows {m0, m1, m2, offset}
  float ssim_weight;
  float scale;         // 1 / (3 * sum of weights)
  float* derivatives;  // [3][4][h][w] scratch; not touched where ssim_weight is 0
  float* d_rendered;   // [h][w][3] dL/drendered; written
  float* partials;     // [loss_blocks()][kLossSums] sums of a block each; written
  const FrameCounters* counters;
};

unsigned loss_blocks(int width, int height);

void run_loss(const LossArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
