#pragma once

// The exploration noise of MCMC (Kheradmand et al. 2024): mean += covariance * normal * scale *
// sigmoid(-100 (opacity - 0.005)). The sigmoid gives noise to faint splats and none to opaque ones.

#include "math/activations.h"
#include "splats/kinds/gaussian.h"

namespace mote {

template <class F>
MOTE_LANE F exploration_gate(F opacity) {
  return sigmoid(F(-100.0f) * (opacity - F(0.005f)));
}

/// With a gate up to this value, the noise may be skipped.
inline constexpr float kLeastGate = 1e-6f;

/// `normal` has variance 1; `amount` is gate times scale.
template <class F>
MOTE_LANE Vec3<F> exploration_step(const Mat3<F>& axes_world, Vec3<F> normal, F amount) {
  return axes_world * transpose_times(axes_world, normal) * amount;
}

// Approximately normal: the centred sum of the four bytes of a random word, with variance 1. Its
// tails end at 3.5, which is sufficient for the noise.
inline constexpr float kByteSumMean = 510.0f;
inline constexpr float kByteSumScale = 0.0067658235f;  // 1 / sqrt(4 (256^2 - 1) / 12)

}  // namespace mote
