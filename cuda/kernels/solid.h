#pragma once

#include "cuda/kernels/blend.h"
#include "splats/kinds/splat_shape.h"

namespace mote::cuda {

struct SolidArgs {
  BlendArgs blend;                      // without checkpoints
  const SolidSurface<float>* surfaces;  // in the order of the records

  bool operator==(const SolidArgs&) const = default;
};

/// Draws the frame of solid splats, like run_blend() for Gaussians. `shape` is not gaussian.
void run_draw_solids(const SolidArgs& args, SplatShape shape, cudaStream_t stream);

}  // namespace mote::cuda
