#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/frame.h"

namespace mote::cuda {

/// The start of a frame: its parameters come from the host, and its counts become zero.
struct FrameStartArgs {
  const FrameParams* host_params;  // [scenes] pinned, read when the kernel runs
  FrameParams* params;             // [scenes]; written
  unsigned scenes;
  unsigned* tile_counts;  // [tiles]; zeroed
  unsigned tiles;
  FrameCounters* counters;  // zeroed

  bool operator==(const FrameStartArgs&) const = default;
};

void run_frame_start(const FrameStartArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
