// Sorts a macro tile's keys: chunks by a bitonic network in shared memory (Batcher 1968), then
// merges of runs. Each thread finds the start of its part of the output by binary search (Green et
// al. 2012, merge path).

#include "cuda/kernels/segment_sort.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kMergeRun = 16;  // consecutive outputs per thread
static_assert(kSortChunk % kMergeRun == 0);
constexpr TileKey kLast = ~TileKey{0};

struct Chunk {
  TileKey keys[kSortChunk];
};

/// Sorts count <= kSortChunk keys in place.
MOTE_DEVICE void sort_chunk(TileKey* keys, unsigned count, Chunk& chunk) {
  unsigned size = 2;
  while (size < count) size *= 2;
  for (unsigned i = threadIdx.x; i < size; i += kThreads) {
    chunk.keys[i] = i < count ? keys[i] : kLast;
  }
  __syncthreads();
  for (unsigned run = 2; run <= size; run *= 2) {
    for (unsigned apart = run / 2; apart > 0; apart /= 2) {
      for (unsigned pair = threadIdx.x; pair < size / 2; pair += kThreads) {
        // `apart` is a power of two, which the compiler does not know.
        const unsigned low = 2 * pair - (pair & (apart - 1)), high = low + apart;
        const TileKey a = chunk.keys[low], b = chunk.keys[high];
        const bool descending = (low & run) != 0;
        if ((a > b) != descending) {
          chunk.keys[low] = b;
          chunk.keys[high] = a;
        }
      }
      __syncthreads();
    }
  }
  for (unsigned i = threadIdx.x; i < count; i += kThreads) keys[i] = chunk.keys[i];
  __syncthreads();
}

/// The number of keys from `a` among the first `outputs` merged keys.
MOTE_DEVICE unsigned share_of_first(const TileKey* a, unsigned count_a, const TileKey* b,
                                    unsigned count_b, unsigned outputs) {
  unsigned low = outputs > count_b ? outputs - count_b : 0;
  unsigned high = outputs < count_a ? outputs : count_a;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (a[middle] <= b[outputs - 1 - middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Merges sorted runs of `width` keys in pairs; `width` is a power of two.
MOTE_DEVICE void merge_runs(const TileKey* from, TileKey* to, unsigned count, unsigned width) {
  for (unsigned out = threadIdx.x * kMergeRun; out < count; out += kThreads * kMergeRun) {
    const unsigned begin = out & ~(2 * width - 1);
    const unsigned middle = min(begin + width, count), end = min(begin + 2 * width, count);
    const TileKey *a = from + begin, *b = from + middle;
    const unsigned count_a = middle - begin, count_b = end - middle;
    unsigned i = share_of_first(a, count_a, b, count_b, out - begin), j = out - begin - i;
    for (unsigned k = out; k < min(out + kMergeRun, end); ++k) {
      const bool take_a = j >= count_b || (i < count_a && a[i] <= b[j]);
      to[k] = take_a ? a[i++] : b[j++];
    }
  }
  __syncthreads();
}

MOTE_KERNEL(kThreads) sort_segments(SegmentSortArgs args) {
  if (args.counters->overflow != 0) return;
  Chunk& chunk = block_shared<Chunk>();
  const unsigned tile = args.order[blockIdx.x];
  const unsigned begin = args.first[tile], count = args.first[tile + 1] - begin;
  if (count < 2) return;
  TileKey *keys = args.keys + begin, *other = args.scratch + begin;
  for (unsigned at = 0; at < count; at += kSortChunk) {
    sort_chunk(keys + at, min(count - at, kSortChunk), chunk);
  }
  TileKey* sorted = keys;
  for (unsigned width = kSortChunk; width < count; width *= 2) {
    merge_runs(sorted, other, count, width);
    TileKey* merged = other;
    other = sorted;
    sorted = merged;
  }
  if (sorted == keys) return;
  for (unsigned i = threadIdx.x; i < count; i += kThreads) keys[i] = sorted[i];
}

}  // namespace

void run_segment_sort(const SegmentSortArgs& args, cudaStream_t stream) {
  launch(sort_segments, {.blocks = args.tiles, .threads = kThreads, .name = "sorting by depth"},
         stream, args);
}

}  // namespace mote::cuda
