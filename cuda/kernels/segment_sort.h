#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstddef>

#include "cuda/kernels/frame.h"

namespace mote::cuda {

/// Number of keys that a block sorts at once. Longer lists are sorted in chunks of this size, which
/// are then merged.
inline constexpr unsigned kSortChunk = 2048;
static_assert(std::has_single_bit(kSortChunk));

/// One block's part of sorting a long list, one of at least kSortChunk keys. Step `chunk` of level
/// 0 sorts that chunk of the list. Step `chunk` of level L writes that chunk of the list after
/// merging the sorted runs of 2^(L-1) chunks in pairs. Each level needs all steps of the level
/// before.
struct SortStep {
  unsigned tile, chunk, level;
};

/// Number of chunks of a list.
constexpr unsigned sort_chunks(unsigned count) {
  return (count + kSortChunk - 1) / kSortChunk;
}

/// Number of levels above 0 that a list of so many chunks needs, at least one chunk.
constexpr unsigned sort_merges(unsigned chunks) {
  return static_cast<unsigned>(std::bit_width(chunks - 1));
}

/// An upper bound of the number of steps of lists with so many keys together.
constexpr std::size_t most_sort_steps(std::size_t keys) {
  // A long list has at most twice as many chunks as it has full ones.
  const std::size_t chunks = 2 * keys / kSortChunk;
  return chunks * (1 + static_cast<std::size_t>(std::bit_width(chunks)));
}

struct SegmentSortArgs {
  const unsigned* first;  // [tiles + 1]
  const unsigned* order;  // [tiles] as in TileQueue
  const SortStep* steps;  // of long lists, level by level
  unsigned* steps_done;   // [tiles] those of long lists; initially zero
  TileKey* keys;          // sorted within each tile, in place
  TileKey* scratch;       // same size
  FrameCounters* counters;

  bool operator==(const SegmentSortArgs&) const = default;
};

/// Sorts each macro tile's keys in ascending order, with as many blocks as the device runs
/// concurrently.
void run_segment_sort(const SegmentSortArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
