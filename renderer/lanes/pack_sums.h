#pragma once

// Sums over the lanes of four packs in one reduction, which transposes while it adds.

#include "lanes/pack.h"

namespace mote::MOTE_ISA {

/// Adds the upper half to the lower half until four lanes are left, then adds those to totals[0 ..
/// 4).
template <class D>
MOTE_LANE void add_quarters(D tag, hn::Vec<D> v, float* totals) {
  if constexpr (hn::MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    add_quarters(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), totals);
  } else {
    hn::Store(hn::Add(v, hn::Load(tag, totals)), tag, totals);
  }
}

MOTE_LANE float sum_of_lanes(Pack a) {
  return hn::GetLane(hn::SumOfLanes(PackTag(), a.value));
}

/// Adds the sum over the lanes of each pack to its place in totals[0 .. 4), 16-byte aligned.
MOTE_LANE void add_lane_sums(Pack a, Pack b, Pack c, Pack d, float* totals) {
  const PackTag tag;
  const hn::RepartitionToWide<PackTag> wide;
  // In each group of four lanes: {a0+a2, b0+b2, a1+a3, b1+b3}, and the same for c and d.
  const auto ab = hn::Add(hn::InterleaveLower(tag, a.value, b.value),
                          hn::InterleaveUpper(tag, a.value, b.value));
  const auto cd = hn::Add(hn::InterleaveLower(tag, c.value, d.value),
                          hn::InterleaveUpper(tag, c.value, d.value));
  const auto low = hn::InterleaveLower(wide, hn::BitCast(wide, ab), hn::BitCast(wide, cd));
  const auto high = hn::InterleaveUpper(wide, hn::BitCast(wide, ab), hn::BitCast(wide, cd));
  add_quarters(tag, hn::Add(hn::BitCast(tag, low), hn::BitCast(tag, high)), totals);
}

}  // namespace mote::MOTE_ISA
