#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/frame.h"
#include "splats/block_life.h"
#include "splats/kinds/feature_decoder.h"
#include "splats/kinds/splat_motion.h"
#include "splats/kinds/splat_shape.h"

namespace mote::cuda {

/// The splats to project, in the layout of SplatCloud.
struct ProjectArgs {
  const FrameParams* frame;
  SplatKind kind;
  SplatMotion motion;
  const float* geometry;  // [blocks][fields of kind and motion][16]
  const float* sh;        // [blocks][coefficient][3][16]
  /// The same in half precision, which is read instead; null: none.
  const std::uint16_t* half_sh;
  const float* marks;       // [count] 1 for splats to be tinted, else 0; null: none
  unsigned sh_stride;       // values per block
  unsigned count;           // splats
  bool activated;           // scales and opacity are activated, not logs and logits
  const Cluster* clusters;  // clusters of kProjectThreads splats each; null: no culling
  const BlockLife* lives;   // [blocks] of splats with lives; null: not known
  SplatRecord* records;     // [count]; written for visible splats only
  SplatShape shape;
  float* extras;          // [count][extra words of the kind, or of solids]; as for records
  MacroRect* rects;       // [count]
  unsigned* tile_counts;  // [macro tiles]; added to
  /// [count] index of each visible splat's first slot; it has one slot per macro tile of its
  /// rectangle. Null if slots are not requested.
  unsigned* first_slots;
  FrameCounters* counters;      // visible and slots; added to
  bool painted = false;         // colours show FrameParams::paint
  ShownFeatures features = {};  // in place of colours, if `sh` holds features

  bool operator==(const ProjectArgs&) const = default;
};

inline constexpr int kProjectThreads = 256;

/// Projects every splat, evaluates its colour, and counts it in the macro tiles that it touches.
void run_project(const ProjectArgs& args, int sh_degree, bool antialiased, cudaStream_t stream);

}  // namespace mote::cuda
