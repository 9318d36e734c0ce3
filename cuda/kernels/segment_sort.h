#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/frame.h"

namespace mote::cuda {

struct SegmentSortArgs {
  const unsigned* first;  // [tiles + 1]
  const unsigned* order;  // [tiles] long segments first
  unsigned tiles;
  TileKey* keys;     // sorted within each tile, in place
  TileKey* scratch;  // same size
  const FrameCounters* counters;

  bool operator==(const SegmentSortArgs&) const = default;
};

/// Number of keys that a block sorts in shared memory; longer segments are merged.
inline constexpr unsigned kSortChunk = 2048;

/// Sorts each macro tile's keys in ascending order. One block per tile.
void run_segment_sort(const SegmentSortArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
