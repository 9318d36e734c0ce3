#pragma once

namespace mote {

/// The times at which a splat of a block lives, s. Empty if to_s < from_s.
struct BlockLife {
  float from_s, to_s;
};

}  // namespace mote
