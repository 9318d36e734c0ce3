#pragma once

// The check of races remembers accesses and fences in these records.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "schedule.h"

namespace cuda_host {

constexpr std::size_t kGranule_bytes = 4;

/// One thread's access to a granule. All zero: none.
struct Touch {
  std::uint32_t run = 0, block = 0;
  std::uint32_t barrier = 0;  // barriers of the block before the access
  std::uint32_t fences = 0;   // of the block before the access
  std::uint16_t clock = 0;    // of the lane: one more than its number of __syncwarp() before
  std::uint16_t thread : 10 = 0, bytes : 4 = 0, atomic : 1 = 0;
};

/// Lanes of a warp that accessed the same bytes of a granule at the same clock. All zero: none.
struct Lanes {
  std::uint32_t block = 0;
  std::uint32_t barrier = 0, fences = 0;
  std::uint32_t mask = 0;
  std::uint16_t clock = 0;
  std::uint16_t warp : 5 = 0, bytes : 4 = 0;
};

inline Lanes lanes_of(const Touch& touch) {
  Lanes lanes{touch.block, touch.barrier, touch.fences, 1u << touch.thread % kWarp, touch.clock};
  lanes.warp = static_cast<std::uint16_t>((touch.thread / kWarp) & 31u);
  lanes.bytes = touch.bytes;
  return lanes;
}

/// `reads` and `more_reads` hold every reader that a later write can race with, except readers for
/// which another one stands: the write then races with that one, too.
struct Granule {
  Touch write;
  std::uint32_t reads_run = 0;   // run of all readers
  std::uint32_t more_reads = 0;  // element of RaceCheck::more_reads_ that goes on; 0: none
  std::array<Lanes, 3> reads;
};
static_assert(sizeof(Granule) == 88);

using Clocks = std::array<std::uint16_t, kWarp>;

constexpr std::uint32_t kNever = ~std::uint32_t{0};

/// A thread's __threadfence(). The next atomic operation of the thread publishes what is ordered
/// before the fence.
struct Fence {
  std::uint32_t published = kNever;  // number of the publication in the run
  std::uint32_t barrier = 0;
  std::uint32_t warp = 0;
  Clocks seen{};

  bool covers(const Lanes& lanes) const;
};

inline bool Fence::covers(const Lanes& lanes) const {
  if (lanes.barrier != barrier) return lanes.barrier < barrier;
  if (lanes.warp != warp) return false;
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    if (seen[static_cast<std::size_t>(std::countr_zero(rest))] < lanes.clock) return false;
  }
  return true;
}

}  // namespace cuda_host
