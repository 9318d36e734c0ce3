#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/checkpoints.h"
#include "cuda/kernels/frame.h"

namespace mote::cuda {

struct BackwardArgs {
  const FrameParams* frame;
  SplatKind kind;
  const SplatRecord* records;   // [count], in the order of the keys' indices
  const float* extras;          // [count][extra words of the kind]
  const MacroRect* rects;       // [count]
  const unsigned* first_slots;  // [count]
  const unsigned* first;        // [tiles + 1]
  const TileKey* keys;          // sorted
  const float* rgb;             // [h][w][3] blended colour with background
  const float* d_rgb;           // [h][w][3] dL/drgb
  /// Planes of the surface payload, [kSurfaceSums][h][w] and [kSurfaceGradients][h][w], and
  /// coverage, [h][w]; null where the loss does not depend on them.
  const float *surface, *d_surface, *alpha;
  bool absolute;  // also sum |dL/dmean_px|
  float* slots;   // [slots][kPaddedSums of the kind]; zero for slots without contribution
  /// Those of blending. Without, whole lists are blended backwards, which surface losses need.
  Checkpoints checkpoints;
  TileQueue queue;  // of macro tiles; counts pieces if there are checkpoints
  const FrameCounters* counters;
};

/// Blends backwards, with as many blocks as the device runs concurrently. A splat's sums over a
/// macro tile go to its slot of that tile. No two blocks add to one slot, so the result does not
/// depend on their order.
void run_backward(const BackwardArgs& args, cudaStream_t stream);

/// Like run_backward(), by buckets. `buckets`: piece_capacity() of the checkpoints.
void run_bucket_backward(const BackwardArgs& args, unsigned buckets, cudaStream_t stream);

}  // namespace mote::cuda
