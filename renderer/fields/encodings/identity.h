#pragma once

#include "lanes/scalar.h"

namespace mote {

/// scale x + offset.
struct Identity {
  float scale = 1, offset = 0;

  int per_input() const { return 1; }

  template <class F>
  MOTE_LANE F value(int, F x) const {
    return fma(F(scale), x, F(offset));
  }
  template <class F>
  MOTE_LANE F slope(int, F) const {
    return F(scale);
  }
};

}  // namespace mote
