// Sorts a macro tile's keys by a bitonic network (Batcher 1968) that keeps them in registers: each
// thread has eight keys, lanes exchange theirs by shuffles, warps through shared memory. The
// network sorts brief keys of 32 bits, which order most keys of a chunk; those that it leaves equal
// are put in order by the whole keys. Lists of more than one chunk are merged afterwards: two
// binary searches find the parts of two sorted runs that make up a chunk of the result (Green et
// al. 2012, merge path), and the last steps of the same network merge these parts. The blocks take
// chunks and merges from a queue, in an order in which a merge waits only for steps that other
// blocks have already begun.

#include "cuda/kernels/segment_sort.h"

#include "cuda/kernels/bitonic_network.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr TileKey kLast = ~TileKey{0};

/// A key's depth above the least of its chunk, without the lowest bits where they have no room;
/// below it the place from which the key came.
using BriefKey = unsigned;
constexpr BriefKey kLastBrief = ~BriefKey{0};
constexpr unsigned kPlaceBits = std::bit_width(kSortChunk - 1);
/// Rounds that put equally deep keys in order before all keys are sorted whole.
constexpr unsigned kRounds = 4;

struct SortMemory {
  TileKey keys[kSortChunk];
  BriefKey brief[kSortChunk];
  unsigned least_depth[kWarps], greatest_depth[kWarps];
};

MOTE_DEVICE TileKey* shared_keys(SortMemory& shared, TileKey /*of_type*/) {
  return shared.keys;
}
MOTE_DEVICE BriefKey* shared_keys(SortMemory& shared, BriefKey /*of_type*/) {
  return shared.brief;
}

/// Sorts the first `count` keys of the block, in any order before; those beyond must be the last.
/// All threads must call. Overwrites the shared keys of this type.
template <class Key>
MOTE_DEVICE void sort_block(OwnKeys<Key>& own, unsigned count, SortMemory& memory) {
  Key* const shared = shared_keys(memory, Key{});
  const bool has_keys = threadIdx.x / kWarp * kWarpKeys < count;  // the warp
  // Each pass merges two sorted runs into one: the first step compares places that lie mirrored in
  // the new run, which leaves two bitonic sequences.
  if (has_keys) {
    sort_own(own);
    for (unsigned run = 2; run <= kWarp; run *= 2) {
      meet_lane<true>(own, run - 1);
      merge_lanes(own, run / 4);
    }
  }
  for (unsigned run = 2 * kWarp; run <= kSortThreads && run / 2 * kEach < count; run *= 2) {
    meet_thread<true>(own, run - 1, count, shared);
    for (unsigned apart = run / 4; apart >= kWarp; apart /= 2) {
      meet_thread<false>(own, apart, count, shared);
    }
    if (has_keys) merge_lanes(own, kWarp / 2);
  }
}

/// Stores the thread's keys at their places in shared memory.
template <class Key>
MOTE_DEVICE void store_own(const OwnKeys<Key>& own, Key* shared) {
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    shared[spread<Key>(threadIdx.x * kEach + i)] = own.at[i];
  }
}

/// Writes the first `count` keys of the block. Each warp uses its own part of shared memory.
MOTE_DEVICE void write_keys(const OwnKeys<TileKey>& own, TileKey* to, unsigned count,
                            SortMemory& shared) {
  const unsigned begin = threadIdx.x / kWarp * kWarpKeys, lane = threadIdx.x % kWarp;
  store_own(own, shared.keys);
  __syncwarp();
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    const unsigned place = begin + i * kWarp + lane;
    if (place < count) to[place] = shared.keys[spread<TileKey>(place)];
  }
}

MOTE_DEVICE unsigned depth_of(TileKey key) {
  return static_cast<unsigned>(key >> 32);
}

/// Brief keys hold (depth - least) >> left_out.
struct DepthScale {
  unsigned least, left_out;
};

/// The scale for the depths of all threads, which lie between `least` and `greatest` in this one.
/// All threads must call; warps without keys get no scale.
MOTE_DEVICE DepthScale depth_scale(unsigned least, unsigned greatest, unsigned count,
                                   SortMemory& shared) {
  const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const bool has_keys = warp * kWarpKeys < count;
  if (has_keys) {
    least = __reduce_min_sync(kWholeWarp, least);
    greatest = __reduce_max_sync(kWholeWarp, greatest);
    if (lane == 0) {
      shared.least_depth[warp] = least;
      shared.greatest_depth[warp] = greatest;
    }
  }
  __syncthreads();
  if (!has_keys) return {};
  if (count > kWarpKeys) {
    const unsigned other = lane * kWarpKeys < count ? lane : 0;
    least = __reduce_min_sync(kWholeWarp, shared.least_depth[other]);
    greatest = __reduce_max_sync(kWholeWarp, shared.greatest_depth[other]);
  }
  const unsigned zeros = static_cast<unsigned>(__clz(static_cast<int>(greatest - least)));
  return {least, kPlaceBits - min(zeros, kPlaceBits)};
}

MOTE_DEVICE bool equally_deep(BriefKey a, BriefKey b) {
  return (a ^ b) >> kPlaceBits == 0;
}

MOTE_DEVICE TileKey key_of(BriefKey brief, const SortMemory& shared) {
  return shared.keys[brief % kSortChunk];
}

/// Swaps neighbours in the order of the brief keys that are equally deep and not in the order of
/// the whole keys, lane by lane and between lanes. Returns whether there were any. All lanes must
/// call.
MOTE_DEVICE bool swap_equally_deep(OwnKeys<BriefKey>& own, const SortMemory& shared) {
  constexpr unsigned kEnd = kEach - 1;
  const unsigned lane = threadIdx.x % kWarp;
  const auto swapped = [&](BriefKey low, BriefKey high) {
    return equally_deep(low, high) && key_of(high, shared) < key_of(low, shared);
  };
  bool some = false;
#pragma unroll
  for (unsigned i = 0; i < kEnd; ++i) {
    const BriefKey low = own.at[i], high = own.at[i + 1];
    if (!swapped(low, high)) continue;
    own.at[i] = high;
    own.at[i + 1] = low;
    some = true;
  }
  const BriefKey below = __shfl_up_sync(kWholeWarp, own.at[kEnd], 1);
  const BriefKey above = __shfl_down_sync(kWholeWarp, own.at[0], 1);
  const bool take_below = lane > 0 && swapped(below, own.at[0]);
  const bool take_above = lane < kWarp - 1 && swapped(own.at[kEnd], above);
  if (take_below) own.at[0] = below;
  if (take_above) own.at[kEnd] = above;
  return __any_sync(kWholeWarp, some || take_below || take_above) != 0;
}

/// Writes the keys in the order of the sorted brief keys, and equally deep ones by the whole key.
/// Returns whether that was possible; if not, keys are missing. All threads must call.
MOTE_DEVICE bool write_by_brief(OwnKeys<BriefKey>& own, TileKey* to, unsigned count,
                                SortMemory& shared) {
  const unsigned begin = threadIdx.x / kWarp * kWarpKeys, lane = threadIdx.x % kWarp;
  const bool has_keys = begin < count;
  bool in_order = true;
  if (has_keys) {
    unsigned round = 0;
    while (round < kRounds && swap_equally_deep(own, shared)) ++round;
    in_order = round < kRounds;
    store_own(own, shared.brief);
  }
  __syncthreads();
  // Equally deep keys of two warps are not put in order.
  if (has_keys && lane == 0 && begin > 0) {
    in_order &= !equally_deep(shared.brief[spread<BriefKey>(begin - 1)], own.at[0]);
  }
  if (__syncthreads_and(in_order ? 1 : 0) == 0) return false;
  if (!has_keys) return true;
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    const unsigned place = begin + i * kWarp + lane;
    if (place < count) to[place] = key_of(shared.brief[spread<BriefKey>(place)], shared);
  }
  return true;
}

/// Sorts count <= kSortChunk keys. All threads must call; `from` and `to` may be equal.
MOTE_DEVICE void sort_chunk(const TileKey* from, TileKey* to, unsigned count, SortMemory& shared) {
  const unsigned begin = threadIdx.x / kWarp * kWarpKeys, lane = threadIdx.x % kWarp;
  OwnKeys<BriefKey> brief;  // first the whole depths
  unsigned least = ~0u, greatest = 0;
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    const unsigned place = begin + i * kWarp + lane;
    if (place >= count) continue;
    const TileKey key = from[place];
    shared.keys[place] = key;
    brief.at[i] = depth_of(key);
    least = min(least, brief.at[i]);
    greatest = max(greatest, brief.at[i]);
  }
  // The whole key of all brief keys beyond the list.
  if (threadIdx.x == 0 && count < kSortChunk) shared.keys[kLastBrief % kSortChunk] = kLast;
  const DepthScale scale = depth_scale(least, greatest, count, shared);
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    const unsigned place = begin + i * kWarp + lane;
    brief.at[i] = place < count
                      ? (brief.at[i] - scale.least) >> scale.left_out << kPlaceBits | place
                      : kLastBrief;
  }
  sort_block(brief, count, shared);
  if (write_by_brief(brief, to, count, shared)) return;
  // Many keys are equally deep, or nearly so: sort the whole keys.
  OwnKeys<TileKey> own;
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    const unsigned place = begin + i * kWarp + lane;
    own.at[i] = place < count ? shared.keys[place] : kLast;
  }
  __syncthreads();
  sort_block(own, count, shared);
  if (begin < count) write_keys(own, to, count, shared);
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

/// Writes one chunk of a list of `count` keys after merging its sorted runs of `width` chunks in
/// pairs. All threads must call.
MOTE_DEVICE void merge_chunk(const TileKey* from, TileKey* to, unsigned count, unsigned width,
                             unsigned chunk, SortMemory& shared) {
  struct Shares {
    unsigned of_first[2];
  };
  const unsigned out = chunk * kSortChunk, outputs = min(count - out, kSortChunk);
  const unsigned begin = chunk / (2 * width) * (2 * width) * kSortChunk;
  const unsigned middle = min(begin + width * kSortChunk, count);
  const unsigned end = min(begin + 2 * width * kSortChunk, count);
  const TileKey *a = from + begin, *b = from + middle;
  Shares& shares = block_shared<Shares>();
  if (threadIdx.x % kWarp == 0 && threadIdx.x / kWarp < 2) {
    const unsigned bound = threadIdx.x / kWarp;
    shares.of_first[bound] = share_of_first(a, middle - begin, b, end - middle,
                                            out - begin + (bound == 0 ? 0 : outputs));
  }
  __syncthreads();
  const unsigned first_a = shares.of_first[0], count_a = shares.of_first[1] - first_a;
  const unsigned first_b = out - begin - first_a, count_b = outputs - count_a;
  // A bitonic sequence: the keys of a ascending, then those of b descending. The thread first has
  // the places t + kSortThreads i, so that it does the steps between distant places alone.
  OwnKeys<TileKey> own;
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    const unsigned place = i * kSortThreads + threadIdx.x, from_end = kSortChunk - 1 - place;
    own.at[i] = place < count_a      ? a[first_a + place]
                : from_end < count_b ? b[first_b + from_end]
                                     : kLast;
  }
  merge_own(own);
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i)
    shared.keys[spread<TileKey>(i * kSortThreads + threadIdx.x)] = own.at[i];
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i)
    own.at[i] = shared.keys[spread<TileKey>(threadIdx.x * kEach + i)];
  merge_lanes(own, kWarp / 2);
  write_keys(own, to + out, outputs, shared);
}

/// Waits until `count` steps of the list are done. Steps are taken in the order of their levels, so
/// the awaited ones are done or under way. All threads must call.
MOTE_DEVICE void wait_for_steps(unsigned* done, unsigned count) {
  if (threadIdx.x == 0) {
    while (atomicAdd(done, 0u) < count) {
    }
    __threadfence();
  }
  __syncthreads();
}

MOTE_DEVICE void announce_step(unsigned* done) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(done, 1u);
  }
}

/// The levels of a list read and write its keys and its part of the scratch memory by turns, such
/// that the last level writes the keys. All threads must call.
MOTE_DEVICE void do_step(const SegmentSortArgs& args, SortStep step, SortMemory& shared) {
  const unsigned begin = args.first[step.tile], count = args.first[step.tile + 1] - begin;
  const unsigned chunks = sort_chunks(count), level = step.level;
  const bool to_keys = (sort_merges(chunks) - level) % 2 == 0;
  TileKey* const to = (to_keys ? args.keys : args.scratch) + begin;
  if (level == 0) {
    const unsigned at = step.chunk * kSortChunk;
    sort_chunk(args.keys + begin + at, to + at, min(count - at, kSortChunk), shared);
  } else {
    wait_for_steps(&args.steps_done[step.tile], level * chunks);
    const TileKey* const from = (to_keys ? args.scratch : args.keys) + begin;
    merge_chunk(from, to, count, 1u << (level - 1), step.chunk, shared);
  }
  if (chunks > 1) announce_step(&args.steps_done[step.tile]);
}

/// The block's next place in the queue. All threads must call. It is a barrier: afterwards the
/// shared memory may be reused.
MOTE_DEVICE unsigned next_place(const SegmentSortArgs& args) {
  struct Ticket {
    unsigned place;
  };
  Ticket& ticket = block_shared<Ticket>();
  __syncthreads();
  if (threadIdx.x == 0) ticket.place = atomicAdd(&args.counters->sort_taken, 1u);
  __syncthreads();
  return ticket.place;
}

/// The queue: chunks of long lists, then short lists, then the merges of long lists.
MOTE_KERNEL(kSortThreads, 3) sort_segments(SegmentSortArgs args) {
  const FrameCounters& counters = *args.counters;
  if (counters.overflow != 0) return;
  SortMemory& shared = block_shared<SortMemory>();
  const unsigned long_tiles = counters.long_tiles, chunks = counters.long_chunks;
  const unsigned short_end = chunks + counters.sorted_tiles - long_tiles;
  const unsigned end = short_end + counters.sort_steps - chunks;
  for (unsigned place = next_place(args); place < end; place = next_place(args)) {
    SortStep step{};
    if (place < chunks) {
      step = args.steps[place];
    } else if (place < short_end) {
      step.tile = args.order[long_tiles + place - chunks];
    } else {
      step = args.steps[place - short_end + chunks];
    }
    do_step(args, step, shared);
  }
}

}  // namespace

void run_segment_sort(const SegmentSortArgs& args, cudaStream_t stream) {
  constexpr const char* kName = "sorting by depth";
  const unsigned resident = resident_blocks(sort_segments, kSortThreads, kName);
  launch(sort_segments, {.blocks = resident, .threads = kSortThreads, .name = kName}, stream, args);
}

}  // namespace mote::cuda
