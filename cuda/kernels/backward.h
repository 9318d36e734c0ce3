#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/frame.h"

namespace mote::cuda {

/// What a splat's gradient is made of, summed over the pixels of one macro tile: BlendSums of
/// splats/kinds/gaussian_block.h in its order, padded to three vectors of four.
inline constexpr int kGradientSums = 12;

struct BackwardArgs {
  const FrameParams* frame;
  const SplatRecord* records;   // [count], in the order of the keys' indices
  const MacroRect* rects;       // [count]
  const unsigned* first_slots;  // [count]
  const unsigned* first;        // [tiles + 1]
  const TileKey* keys;          // sorted
  const float* rgb;             // [h][w][3] as blended, with the background behind
  const float* d_rgb;           // [h][w][3] dL/drgb
  bool absolute;                // sum the size of the mean's gradient too
  float* slots;                 // [slots][kGradientSums], zero where a splat leaves nothing
  TileQueue queue;
  const FrameCounters* counters;
};

/// Blends backwards, by as many blocks as the device runs at once. A splat's sums over a macro tile
/// go to its slot of that tile: nothing is added by two blocks, and the result does not depend on
/// their order.
void run_backward(const BackwardArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
