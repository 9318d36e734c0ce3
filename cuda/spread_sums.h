#pragma once

// Sums over a warp of several values at once. In each of the five steps of a butterfly a lane
// leaves half of the values to its partner and takes the partner's share of the other half, so that
// N values cost little more than N exchanges in place of 5 N, and each sum is in the end with some
// lane. The additions are those of the plain butterfly.

#include "lanes/lane.h"

namespace mote::cuda {

/// In which lane the sum of which of `count` <= 32 values is after spread_sums(): the value of
/// `lane`, each in one lane; -1 for the other lanes.
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

/// exchange(value, apart): what the lane that differs in the bit `apart` gives in the same call.
/// All lanes must call. Returns the sum that sum_place() says.
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
