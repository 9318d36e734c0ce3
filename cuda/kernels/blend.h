#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "cuda/kernels/checkpoints.h"
#include "cuda/kernels/frame.h"
#include "pipeline/surface.h"
#include "splats/kinds/splat_shape.h"

namespace mote::cuda {

/// Outputs of blending; null ones are not written.
struct PixelOutputs {
  float* rgb = nullptr;  // [h][w][3] with background; null if the frame has texels
  // [h][w] as in Frame; both depths or none.
  float *alpha = nullptr, *depth_expected = nullptr, *depth_median = nullptr;
  float* normal = nullptr;  // [h][w][3]
  float *overdraw = nullptr, *tile_cost = nullptr;
  /// [kSurfaceSums][h][w]: sums of the surface payload, for kinds that are surfaces.
  float* surface = nullptr;

  bool operator==(const PixelOutputs&) const = default;
};

struct BlendArgs {
  const FrameParams* frame;
  SplatKind kind;
  const SplatRecord* records;
  const float* extras;           // [records][extra words of the kind, or of solids]
  const std::uint32_t* slot_of;  // record of each index in the file; null: equal
  const unsigned* first;         // [tiles + 1]
  const TileKey* keys;           // sorted
  PixelOutputs out;
  Checkpoints checkpoints;  // null: none; otherwise the other outputs must be null but rgb, alpha
  TileQueue queue;
  FrameCounters* counters;

  bool operator==(const BlendArgs&) const = default;
};

/// Blends the frame, with as many blocks as the device runs concurrently. The result does not
/// depend on the assignment of macro tiles to blocks.
void run_blend(const BlendArgs& args, cudaStream_t stream);

/// The same in half precision. Only the picture and its alpha may be requested.
void run_blend_fast(const BlendArgs& args, cudaStream_t stream);

/// Draws the frame of solid splats, as run_blend() blends others. The extras are SolidSurfaces;
/// there are no checkpoints. `shape` is not blended.
void run_draw_solids(const BlendArgs& args, SplatShape shape, cudaStream_t stream);

}  // namespace mote::cuda
