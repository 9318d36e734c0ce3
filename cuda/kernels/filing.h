#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/frame.h"

namespace mote::cuda {

/// Splats filed by macro tiles: counts become places, then each splat's key goes to the places of
/// the tiles that it touches.
struct FilingArgs {
  const FrameParams* frame;
  const SplatRecord* records;   // [count]
  const MacroRect* rects;       // [count]
  const std::uint32_t* index;   // [count] place in the file; null where it is the place here
  unsigned count;               // splats
  unsigned tiles;               // macro tiles
  const unsigned* tile_counts;  // [tiles]
  unsigned* first;              // [tiles + 1] place of each tile's first key; written
  unsigned* next;               // [tiles] scratch
  unsigned* order;              // [tiles] as TileQueue has it; written
  TileKey* keys;                // [capacity]; of each tile in no order
  unsigned capacity;            // of keys
  unsigned slot_capacity;
  FrameCounters* counters;  // pairs and overflow; written

  bool operator==(const FilingArgs&) const = default;
};

void run_place_tiles(const FilingArgs& args, cudaStream_t stream);
void run_file_splats(const FilingArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
