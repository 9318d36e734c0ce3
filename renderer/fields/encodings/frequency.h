#pragma once

// The frequency encoding (Mildenhall et al. 2020, "NeRF"): sines and cosines of pi 2^k x.

#include "lanes/scalar.h"

namespace mote {

struct Frequency {
  int frequencies = 12;

  int per_input() const { return 2 * frequencies; }

  /// Output k of an input: sin and cos of frequency 0, of frequency 1, ...
  template <class F>
  MOTE_LANE F value(int k, F x) const {
    return sin_pi(fma(F(power(k)), x, F(k % 2 == 0 ? 0.0f : 0.5f)));
  }
  /// Its derivative.
  template <class F>
  MOTE_LANE F slope(int k, F x) const {
    const F rate(3.14159265358979323846f * static_cast<float>(1 << k / 2));
    return rate * sin_pi(fma(F(power(k)), x, F(k % 2 == 0 ? 0.5f : 1.0f)));
  }

 private:
  static MOTE_LANE float power(int k) { return static_cast<float>(1 << k / 2); }
};

}  // namespace mote
