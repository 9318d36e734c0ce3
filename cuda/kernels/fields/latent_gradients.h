#pragma once

// The gradients by the latents of photographs: sums over the samples of their rays.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/ray_march.h"

namespace mote::cuda {

struct LatentGradientArgs {
  const std::uint32_t*
      d_features;               // [planes][stride]: pairs of halves, by the colour network's inputs
  int first_latent, latents;    // among the inputs
  float unscaled;               // factor on the gradients
  const WaveSegment* segments;  // [count]: samples of rays
  const float* weights;         // [count]; 0: not trained
  const std::uint32_t* photographs;  // [count]
  unsigned count;                    // rays
  unsigned photograph_count;
  std::size_t stride;
  float* of_rays;  // [count][latents]; written
  double* sums;    // [photograph_count][latents]; written
};

/// Adds up in a fixed order, whatever the device.
void run_latent_gradients(const LatentGradientArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
