#pragma once

#include "cuda/kernels/blend.h"
#include "splats/kinds/splat_shape.h"

namespace mote::cuda {

/// Draws the frame of solid splats, as run_blend() blends others. The extras are SolidSurfaces;
/// there are no checkpoints. `shape` is not gaussian.
void run_draw_solids(const BlendArgs& args, SplatShape shape, cudaStream_t stream);

}  // namespace mote::cuda
