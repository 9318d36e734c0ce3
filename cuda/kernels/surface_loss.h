#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/frame.h"
#include "pipeline/surface.h"

namespace mote::cuda {

inline constexpr int kSlopeValues = 6;  // dL/d(slope) of a pixel: along x, along y

/// The gradient of an image by the surface losses (pipeline/surface_loss.h).
struct SurfaceLossArgs {
  const FrameParams* frame;
  int width, height;
  const float* alpha;                      // [h][w]
  const float* surface;                    // [kSurfaceSums][h][w]
  float distortion_weight, normal_weight;  // divided by the number of pixels
  float* slopes;                           // [kSlopeValues][h][w] scratch
  float* d_surface;                        // [kSurfaceGradients][h][w]; written
  const FrameCounters* counters;
};

void run_surface_loss(const SurfaceLossArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
