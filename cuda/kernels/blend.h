#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "cuda/kernels/checkpoints.h"
#include "cuda/kernels/frame.h"

namespace mote::cuda {

/// Where blending writes; what is null is left out.
struct PixelOutputs {
  float* rgb = nullptr;  // [h][w][3], with the background behind; never left out
  // [h][w], as Frame has them; depths go together
  float *alpha = nullptr, *depth_expected = nullptr, *depth_median = nullptr;
  float *overdraw = nullptr, *tile_cost = nullptr;

  bool operator==(const PixelOutputs&) const = default;
};

struct BlendArgs {
  const FrameParams* frame;
  const SplatRecord* records;
  const std::uint32_t* slot_of;  // record of each place in the file; null where they are the same
  const unsigned* first;         // [tiles + 1]
  const TileKey* keys;           // sorted
  PixelOutputs out;
  Checkpoints checkpoints;  // null where none are asked for; then neither depths nor counts are
  TileQueue queue;
  FrameCounters* counters;

  bool operator==(const BlendArgs&) const = default;
};

/// Blends the frame, by as many blocks as the device runs at once. What is drawn does not depend on
/// which block takes which macro tile.
void run_blend(const BlendArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
