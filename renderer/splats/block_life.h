#pragma once

#include "lanes/lane.h"

namespace mote {

/// The times at which a splat of a block lives, s. Empty if to_s < from_s.
struct BlockLife {
  float from_s, to_s;
};

MOTE_LANE bool lives_at(const BlockLife& life, float time_s) {
  return life.from_s <= time_s && time_s <= life.to_s;
}

}  // namespace mote
