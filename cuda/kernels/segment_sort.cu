// Sorts a macro tile's keys by a bitonic network (Batcher 1968) that keeps them in registers: each
// thread has eight keys, lanes exchange theirs by shuffles, warps through shared memory. Lists of
// more than one chunk are merged afterwards: two binary searches find the parts of two sorted runs
// that make up a chunk of the result (Green et al. 2012, merge path), and the last steps of the
// same network merge these parts. The blocks take chunks and merges from a queue, in an order in
// which a merge waits only for steps that other blocks have already begun.

#include "cuda/kernels/segment_sort.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kEach = 8;  // keys per thread
constexpr unsigned kWarpKeys = kEach * kWarp;
static_assert(kThreads * kEach == kSortChunk);
constexpr TileKey kLast = ~TileKey{0};

/// The calling thread's keys of a chunk: those at the places kEach t to kEach t + kEach - 1.
struct OwnKeys {
  TileKey at[kEach];
};

struct SharedKeys {
  TileKey at[kSortChunk];
};

/// Where the key of a place lies in shared memory, if threads access both kEach consecutive places
/// and consecutive places together: neither has bank conflicts.
MOTE_DEVICE unsigned spread(unsigned place) {
  return place ^ (place / 16 % 16);
}

MOTE_DEVICE void put_in_order(TileKey& low, TileKey& high) {
  const TileKey a = low, b = high;
  low = b < a ? b : a;
  high = b < a ? a : b;
}

/// Sorts a bitonic sequence within the thread.
MOTE_DEVICE void merge_own(OwnKeys& own) {
#pragma unroll
  for (unsigned apart = kEach / 2; apart > 0; apart /= 2) {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
      if ((i & apart) == 0) put_in_order(own.at[i], own.at[i + apart]);
    }
  }
}

MOTE_DEVICE void sort_own(OwnKeys& own) {
#pragma unroll
  for (unsigned run = 2; run <= kEach; run *= 2) {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
      const unsigned mirrored = i ^ (run - 1);
      if (i < mirrored) put_in_order(own.at[i], own.at[mirrored]);
    }
#pragma unroll
    for (unsigned apart = run / 4; apart > 0; apart /= 2) {
#pragma unroll
      for (unsigned i = 0; i < kEach; ++i) {
        if ((i & apart) == 0) put_in_order(own.at[i], own.at[i + apart]);
      }
    }
  }
}

/// One step of the network between threads: the thread's key i meets the partner's key i, or kEach
/// - 1 - i if MIRRORED. The one of the lower places keeps the smaller key.
template <bool MIRRORED, class Partner>
MOTE_DEVICE void meet(OwnKeys& own, bool lower, const Partner& partner_key) {
  TileKey other[kEach];
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) other[i] = partner_key(MIRRORED ? kEach - 1 - i : i);
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    if ((other[i] < own.at[i]) == lower) own.at[i] = other[i];
  }
}

/// A step between the lanes of a warp that differ by `apart`. All lanes must call.
template <bool MIRRORED>
MOTE_DEVICE void meet_lane(OwnKeys& own, unsigned apart) {
  const unsigned lane = threadIdx.x % kWarp;
  meet<MIRRORED>(own, (lane ^ apart) > lane, [&](unsigned i) {
    return __shfl_xor_sync(kWholeWarp, own.at[i], static_cast<int>(apart));
  });
}

/// The same between the threads of different warps. All threads must call. Warps whose places are
/// all beyond `count` have no keys.
template <bool MIRRORED>
MOTE_DEVICE void meet_thread(OwnKeys& own, unsigned apart, unsigned count, SharedKeys& shared) {
  const unsigned partner = threadIdx.x ^ apart;
  const auto has_keys = [&](unsigned thread) { return thread / kWarp * kWarpKeys < count; };
  if (has_keys(threadIdx.x)) {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) shared.at[i * kThreads + threadIdx.x] = own.at[i];
  }
  __syncthreads();
  if (has_keys(threadIdx.x) && has_keys(partner)) {
    meet<MIRRORED>(own, partner > threadIdx.x,
                   [&](unsigned i) { return shared.at[i * kThreads + partner]; });
  }
  __syncthreads();
}

/// Sorts bitonic sequences of 2 `lanes` threads, which begin at a multiple of their length.
/// All lanes must call.
MOTE_DEVICE void merge_lanes(OwnKeys& own, unsigned lanes) {
  for (unsigned apart = lanes; apart > 0; apart /= 2) meet_lane<false>(own, apart);
  merge_own(own);
}

/// Writes the first `count` keys of the block. Each warp uses its own part of shared memory.
MOTE_DEVICE void write_keys(const OwnKeys& own, TileKey* to, unsigned count, SharedKeys& shared) {
  const unsigned begin = threadIdx.x / kWarp * kWarpKeys, lane = threadIdx.x % kWarp;
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    shared.at[spread(threadIdx.x * kEach + i)] = own.at[i];
  }
  __syncwarp();
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    const unsigned place = begin + i * kWarp + lane;
    if (place < count) to[place] = shared.at[spread(place)];
  }
}

/// Sorts count <= kSortChunk keys. All threads must call; `from` and `to` may be equal.
MOTE_DEVICE void sort_chunk(const TileKey* from, TileKey* to, unsigned count, SharedKeys& shared) {
  const unsigned begin = threadIdx.x / kWarp * kWarpKeys, lane = threadIdx.x % kWarp;
  const bool has_keys = begin < count;  // the warp
  OwnKeys own;
  if (has_keys) {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
      const unsigned any_place = begin + i * kWarp + lane;
      own.at[i] = any_place < count ? from[any_place] : kLast;
    }
    sort_own(own);
  }
  // Each pass merges two sorted runs into one: the first step compares places that lie mirrored in
  // the new run, which leaves two bitonic sequences.
  if (has_keys) {
    for (unsigned run = 2; run <= kWarp; run *= 2) {
      meet_lane<true>(own, run - 1);
      merge_lanes(own, run / 4);
    }
  }
  for (unsigned run = 2 * kWarp; run <= kThreads && run / 2 * kEach < count; run *= 2) {
    meet_thread<true>(own, run - 1, count, shared);
    for (unsigned apart = run / 4; apart >= kWarp; apart /= 2) {
      meet_thread<false>(own, apart, count, shared);
    }
    if (has_keys) merge_lanes(own, kWarp / 2);
  }
  if (has_keys) write_keys(own, to, count, shared);
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
                             unsigned chunk, SharedKeys& shared) {
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
  // the places t + kThreads i, so that it does the steps between distant places alone.
  OwnKeys own;
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    const unsigned place = i * kThreads + threadIdx.x, from_end = kSortChunk - 1 - place;
    own.at[i] = place < count_a      ? a[first_a + place]
                : from_end < count_b ? b[first_b + from_end]
                                     : kLast;
  }
  merge_own(own);
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) shared.at[spread(i * kThreads + threadIdx.x)] = own.at[i];
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) own.at[i] = shared.at[spread(threadIdx.x * kEach + i)];
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
MOTE_DEVICE void do_step(const SegmentSortArgs& args, SortStep step, SharedKeys& shared) {
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
MOTE_KERNEL(kThreads, 4) sort_segments(SegmentSortArgs args) {
  const FrameCounters& counters = *args.counters;
  if (counters.overflow != 0) return;
  SharedKeys& shared = block_shared<SharedKeys>();
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
  const unsigned resident = resident_blocks(sort_segments, kThreads, kName);
  launch(sort_segments, {.blocks = resident, .threads = kThreads, .name = kName}, stream, args);
}

}  // namespace mote::cuda
