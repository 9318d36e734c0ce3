#pragma once

// The one-blob encoding (Müller et al. 2019, "Neural Importance Sampling"): the parts of a kernel
// around x that fall into each of n bins of [0, 1], with the quartic kernel of tiny-cuda-nn, of
// radius 1 / n. The range wraps around.

#include "lanes/scalar.h"

namespace mote {

struct OneBlob {
  int bins = 16;

  int per_input() const { return bins; }

  template <class F>
  MOTE_LANE F value(int k, F x) const {
    return below(k + 1, x) - below(k, x);
  }
  template <class F>
  MOTE_LANE F slope(int k, F x) const {
    return density(k, x) - density(k + 1, x);
  }

 private:
  /// Calls visit(u) with the distance from x to the edge in radii, also for both neighbours of x.
  template <class F, class Visit>
  MOTE_LANE void for_each_distance(int edge, F x, const Visit& visit) const {
    const auto count = static_cast<float>(bins);
    const F u = fnma(F(count), x, F(static_cast<float>(edge)));
    visit(u), visit(u - F(count)), visit(u + F(count));
  }
  /// The part of the kernel below an edge: the integral of 15/16 (1 - u^2)^2, which is
  /// 15/16 u - 5/8 u^3 + 3/16 u^5 + 1/2.
  template <class F>
  MOTE_LANE F below(int edge, F x) const {
    F sum(0.0f);
    for_each_distance(edge, x, [&](F u) {
      const F v = max(min(u, F(1.0f)), F(-1.0f)), v2 = v * v;
      sum = sum + fma(v, fma(v2, fma(v2, F(0.1875f), F(-0.625f)), F(0.9375f)), F(0.5f));
    });
    return sum;
  }
  /// Minus the derivative of below() by x.
  template <class F>
  MOTE_LANE F density(int edge, F x) const {
    F sum(0.0f);
    for_each_distance(edge, x, [&](F u) {
      const F inside = max(fnma(u, u, F(1.0f)), F(0.0f));
      sum = fma(F(0.9375f * static_cast<float>(bins)) * inside, inside, sum);
    });
    return sum;
  }
};

}  // namespace mote
