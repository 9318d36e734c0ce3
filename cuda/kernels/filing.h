#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/frame.h"
#include "cuda/kernels/segment_sort.h"

namespace mote::cuda {

/// Binning by macro tiles: counts become offsets, then each splat's key is written for the tiles
/// that it touches.
struct FilingArgs {
  const FrameParams* frame;
  const SplatRecord* records;   // [count]
  const MacroRect* rects;       // [count]
  const std::uint32_t* index;   // [count] index in the file; null: equal to the index here
  unsigned count;               // splats
  unsigned tiles;               // macro tiles
  const unsigned* tile_counts;  // [tiles]
  unsigned* first;              // [tiles + 1] offset of each tile's first key; written
  unsigned* next;               // [tiles] scratch
  unsigned* order;              // [tiles] as in TileQueue; written
  SortStep* sort_steps;         // [most_sort_steps(capacity)]; written
  unsigned* sort_steps_done;    // [tiles]; zeroed
  TileKey* keys;                // [capacity]; unordered within a tile
  unsigned capacity;            // number of keys
  unsigned slot_capacity;
  FrameCounters* counters;  // pairs, overflow and those of sorting; written

  bool operator==(const FilingArgs&) const = default;
};

void run_place_tiles(const FilingArgs& args, cudaStream_t stream);
void run_file_splats(const FilingArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
