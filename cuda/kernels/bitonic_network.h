#pragma once

// The steps of a bitonic network (Batcher 1968) over the keys of a block, which are in registers:
// within a thread, between lanes, and between warps. For kernels.

#include "cuda/kernels/segment_sort.h"
#include "cuda/runtime/dialect.h"

namespace mote::cuda {

inline constexpr unsigned kSortThreads = 256;
inline constexpr unsigned kEach = 8;  // keys per thread
inline constexpr unsigned kWarpKeys = kEach * kWarp;
inline constexpr unsigned kWarps = kSortThreads / kWarp;
static_assert(kSortThreads * kEach == kSortChunk);

/// The calling thread's keys of a chunk: those at the places kEach t to kEach t + kEach - 1.
template <class Key>
struct OwnKeys {
  Key at[kEach];
};

/// Where the key of a place lies in shared memory, if threads access both kEach consecutive places
/// and consecutive places together: neither has bank conflicts.
template <class Key>
MOTE_DEVICE unsigned spread(unsigned place) {
  constexpr unsigned kOfAllBanks = 32 * 4 / sizeof(Key);
  return place ^ (place / kOfAllBanks % kEach);
}

template <class Key>
MOTE_DEVICE void put_in_order(Key& low, Key& high) {
  const Key a = low, b = high;
  low = min(a, b);
  high = max(a, b);
}

/// Sorts a bitonic sequence within the thread.
template <class Key>
MOTE_DEVICE void merge_own(OwnKeys<Key>& own) {
#pragma unroll
  for (unsigned apart = kEach / 2; apart > 0; apart /= 2) {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
      if ((i & apart) == 0) put_in_order(own.at[i], own.at[i + apart]);
    }
  }
}

template <class Key>
MOTE_DEVICE void sort_own(OwnKeys<Key>& own) {
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
template <bool MIRRORED, class Key, class Partner>
MOTE_DEVICE void meet(OwnKeys<Key>& own, bool lower, const Partner& partner_key) {
  Key other[kEach];
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) other[i] = partner_key(MIRRORED ? kEach - 1 - i : i);
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    if ((other[i] < own.at[i]) == lower) own.at[i] = other[i];
  }
}

/// A step between the lanes of a warp that differ by `apart`. All lanes must call.
template <bool MIRRORED, class Key>
MOTE_DEVICE void meet_lane(OwnKeys<Key>& own, unsigned apart) {
  const unsigned lane = threadIdx.x % kWarp;
  meet<MIRRORED>(own, (lane ^ apart) > lane, [&](unsigned i) {
    return __shfl_xor_sync(kWholeWarp, own.at[i], static_cast<int>(apart));
  });
}

/// The same between the threads of different warps. All threads must call. Warps whose places are
/// all beyond `count` have no keys.
template <bool MIRRORED, class Key>
MOTE_DEVICE void meet_thread(OwnKeys<Key>& own, unsigned apart, unsigned count, Key* shared) {
  const unsigned partner = threadIdx.x ^ apart;
  const auto has_keys = [&](unsigned thread) { return thread / kWarp * kWarpKeys < count; };
  if (has_keys(threadIdx.x)) {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) shared[i * kSortThreads + threadIdx.x] = own.at[i];
  }
  __syncthreads();
  if (has_keys(threadIdx.x) && has_keys(partner)) {
    meet<MIRRORED>(own, partner > threadIdx.x,
                   [&](unsigned i) { return shared[i * kSortThreads + partner]; });
  }
  __syncthreads();
}

/// Sorts bitonic sequences of 2 `lanes` threads, which begin at a multiple of their length.
/// All lanes must call.
template <class Key>
MOTE_DEVICE void merge_lanes(OwnKeys<Key>& own, unsigned lanes) {
  for (unsigned apart = lanes; apart > 0; apart /= 2) meet_lane<false>(own, apart);
  merge_own(own);
}

}  // namespace mote::cuda
