#pragma once

#include <cuda_runtime.h>

#include <bit>

#include "cuda/kernels/frame.h"
#include "cuda/kernels/segment_sort.h"

namespace mote::cuda {

/// Macro tiles are grouped by the leading three bits of their counts, and the groups ordered
/// fullest first.
inline constexpr unsigned kTileGroups = 128;

/// The group of a tile with so many splats. Powers of two from 2 on are the least of their group,
/// and 0 and 1 have the last one.
constexpr unsigned tile_group(unsigned count) {
  constexpr unsigned kBits = 32, kEach = kTileGroups / kBits;  // groups of counts of equal length
  const unsigned zeros = static_cast<unsigned>(std::countl_zero(count | 1u));
  const unsigned next_bits = count << zeros >> (kBits - 3) & (kEach - 1);
  return zeros * kEach + kEach - 1 - next_bits;
}

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
