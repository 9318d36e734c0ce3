#pragma once

// The number of samples of a launch that a kernel before it decides, so that the host does not wait
// for it.

#include "lanes/lane.h"

namespace mote::cuda {

/// `count`: upper bound, which the launch has space for. `known`: the number, on the device; null:
/// it is `count`.
MOTE_LANE unsigned sample_count(unsigned count, const unsigned* known) {
  if (known == nullptr) return count;
  const unsigned own = *known;
  return own < count ? own : count;
}

}  // namespace mote::cuda
