#pragma once

// Sums over a warp. For kernels.

#include "cuda/runtime/dialect.h"

namespace mote::cuda {

/// The inclusive prefix sum over the lanes. All lanes must call.
template <class T>
MOTE_DEVICE T inclusive_sum_of_lanes(T value) {
  const unsigned lane = threadIdx.x % kWarp;
  for (unsigned apart = 1; apart < kWarp; apart *= 2) {
    const T below = __shfl_up_sync(kWholeWarp, value, apart);
    if (lane >= apart) value += below;
  }
  return value;
}

/// Adds the number of lanes with `holds` to the counter in device memory. All lanes must call.
MOTE_DEVICE void count_lanes(bool holds, unsigned* counter) {
  const unsigned holding = __ballot_sync(kWholeWarp, holds);
  if (threadIdx.x % kWarp == 0 && holding != 0) {
    atomicAdd(counter, static_cast<unsigned>(__popc(holding)));
  }
}

}  // namespace mote::cuda
