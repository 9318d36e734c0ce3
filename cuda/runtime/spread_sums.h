#pragma once

// Sums of several values over a warp. In each of the five steps of a butterfly, a lane gives half
// of the values to its partner and takes the partner's part of the other half. N values therefore
// need little more than N exchanges instead of 5 N, and each sum ends in one lane. The additions
// are those of the plain butterfly.

#include "lanes/lane.h"

namespace mote::cuda {

/// The index of the sum that `lane` holds after spread_sums() of `count` <= 32 values; -1 if none.
/// Each sum is in one lane.
MOTE_LANE int sum_place(int count, unsigned lane) {
  int counts[5] = {count, 0, 0, 0, 0};  // before each step
  for (int step = 1; step < 5; ++step) counts[step] = (counts[step - 1] + 1) / 2;
  int place = 0;
  for (int step = 4; step >= 0; --step) {
    const bool upper = (lane & 16u >> step) != 0;
    const bool alone = 2 * place + 1 >= counts[step];
    if (alone && upper) return -1;
    place = 2 * place + (upper ? 1 : 0);
  }
  return place;
}

/// exchange(value, apart): returns the value of the lane that differs in the bit `apart`. All lanes
/// must call. Returns the sum with index sum_place().
template <unsigned APART = 16, int N, class Exchange>
MOTE_LANE float spread_sums(const float (&values)[N], unsigned lane, const Exchange& exchange) {
  constexpr int kPairs = N / 2, kLeft = (N + 1) / 2;
  const bool upper = (lane & APART) != 0;
  float left[kLeft];
  for (int i = 0; i < kPairs; ++i) {
    const float keep = upper ? values[2 * i + 1] : values[2 * i];
    const float give = upper ? values[2 * i] : values[2 * i + 1];
    left[i] = keep + exchange(give, APART);
  }
  if constexpr (N % 2 != 0) left[kPairs] = values[N - 1] + exchange(values[N - 1], APART);
  if constexpr (APART > 1) {
    return spread_sums<APART / 2>(left, lane, exchange);
  } else {
    static_assert(kLeft == 1);
    return left[0];
  }
}

}  // namespace mote::cuda
