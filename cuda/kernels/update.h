#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/backward.h"
#include "cuda/kernels/frame.h"
#include "splats/rate_groups.h"

namespace mote::cuda {

/// Splats under training, as SplatCloud lays them out, with Adam's moments and what densification
/// looks at.
struct SplatState {
  float *geometry, *geometry_first, *geometry_second;  // [blocks][kFieldCount][16]
  float *sh, *sh_first, *sh_second;                    // [blocks][coefficient][3][16]
  unsigned sh_stride;                                  // floats a block
  unsigned* last_step;                                 // [count] when Adam last ran
  float* gradient_sum;                                 // [count]
  unsigned* seen;                                      // [count]
  float* radius_px;                                    // [count]
};

struct UpdateArgs {
  const FrameParams* frame;
  SplatState state;
  unsigned count;  // splats
  const SplatRecord* records;
  const MacroRect* rects;
  const unsigned* first_slots;
  const float* slots;  // [slots][kGradientSums]
  bool absolute;
  float opacity_weight, scale_weight;  // of the regularisers, over the number of splats (and axes)
  unsigned step;                       // from 1
  float inverse_root;                  // AdamStep of the step
  AdamRate rates[kRateGroups];
  // Where not null, gradients are written here and nothing is updated.
  float *gradient_geometry, *gradient_sh;
  unsigned* broken;        // [count] splats whose gradient was not finite, in no order
  unsigned* broken_count;  // zero before
  float* pose_partials;    // [update_warps()][kPoseSums] of a warp each; written
  const FrameCounters* counters;
};

/// dL/d(rotation, translation) of the camera.
inline constexpr int kPoseSums = 6;

unsigned update_warps(unsigned count);

/// Takes the sums in the slots back to the parameters of every visible splat, and steps Adam.
void run_update(const UpdateArgs& args, int sh_degree, bool antialiased, cudaStream_t stream);

}  // namespace mote::cuda
