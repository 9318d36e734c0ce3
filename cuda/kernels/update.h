#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/backward.h"
#include "cuda/kernels/frame.h"
#include "splats/kinds/splat_kind.h"
#include "splats/kinds/splat_motion.h"

namespace mote::cuda {

/// Splats under training in the layout of SplatCloud, with Adam's moments and the statistics of
/// densification.
struct SplatState {
  float *geometry, *geometry_first, *geometry_second;  // [blocks][fields of the kind][16]
  float *sh, *sh_first, *sh_second;                    // [blocks][coefficient][3][16]
  unsigned sh_stride;                                  // floats per block
  unsigned* last_step;                                 // [count] step of the last update
  float* gradient_sum;                                 // [count]
  unsigned* seen;                                      // [count]
  float* radius_px;                                    // [count]
};

struct UpdateArgs {
  const FrameParams* frame;
  SplatKind kind;
  SplatMotion motion;
  SplatState state;
  /// The splats that the frame showed, whose gradients are found: those of the state, or where a
  /// field has moved them.
  const float* shown;
  const float* added_means;  // [blocks][3][16]: added to the gradients by the means; null: nothing
  unsigned count;            // splats
  const SplatRecord* records;
  const MacroRect* rects;
  const unsigned* first_slots;
  const float* slots;  // [slots][kPaddedSums of the kind]
  bool absolute;
  /// Weights of the regularisers, divided by the number of splats (and axes).
  float opacity_weight, scale_weight;
  unsigned step;       // from 1
  float inverse_root;  // AdamStep of the step
  AdamRate rates[kRateGroups];
  float velocity_life_s;  // see velocity_rate_factor()
  // If not null, gradients are written here and nothing is updated. `gradient_sh` may be null.
  float *gradient_geometry, *gradient_sh;
  unsigned* broken;        // [count] splats with a gradient that is not finite, unordered
  unsigned* broken_count;  // initially zero
  float* pose_partials;    // [update_warps()][pose_sums()] sums per warp; null: not needed
  const FrameCounters* counters;
};

/// dL/d(rotation, translation) of the camera, and of splats with lives dL/d(time).
inline constexpr int kPoseSums = 6, kMovingPoseSums = 7;
constexpr int pose_sums(SplatMotion motion) {
  return depends_on_time(motion) ? kMovingPoseSums : kPoseSums;
}

unsigned update_warps(unsigned count);

/// Propagates the sums in the slots to the parameters of every visible splat, and applies Adam.
void run_update(const UpdateArgs& args, int sh_degree, bool antialiased, cudaStream_t stream);

}  // namespace mote::cuda
