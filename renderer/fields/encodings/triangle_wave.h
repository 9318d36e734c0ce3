#pragma once

// The triangle wave encoding (Müller et al. 2021, "Real-time Neural Radiance Caching"): a cheaper
// frequency encoding. Wave k has the period 2^(1 - k) and a phase of k / 4 periods.

#include "lanes/scalar.h"

namespace mote {

struct TriangleWave {
  int frequencies = 12;

  int per_input() const { return frequencies; }

  template <class F>
  MOTE_LANE F value(int k, F x) const {
    return fma(abs(phase(k, x) - F(0.5f)), F(4.0f), F(-1.0f));
  }
  template <class F>
  MOTE_LANE F slope(int k, F x) const {
    const F rate(4.0f * half_power(k));
    return select(phase(k, x) < F(0.5f), -rate, rate);
  }

 private:
  static MOTE_LANE float half_power(int k) { return 0.5f * static_cast<float>(1 << k); }
  /// 0 to 1 within the period.
  template <class F>
  static MOTE_LANE F phase(int k, F x) {
    const F at = fma(F(half_power(k)), x, F(0.25f * static_cast<float>(k)));
    return at - floor(at);
  }
};

}  // namespace mote
