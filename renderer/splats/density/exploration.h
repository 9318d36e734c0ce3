#pragma once

// The exploration noise of MCMC (Kheradmand et al. 2024): mean += covariance * normal * scale *
// sigmoid(-100 (opacity - 0.005)), which faint splats get and opaque ones do not.

#include "math/activations.h"
#include "splats/kinds/gaussian.h"

namespace mote {

template <class F>
MOTE_LANE F exploration_gate(F opacity) {
  return sigmoid(F(-100.0f) * (opacity - F(0.005f)));
}

/// Where the gate is no more than this a splat may be left where it is.
inline constexpr float kLeastGate = 1e-6f;

/// `normal` of variance 1; `amount` is gate times scale.
template <class F>
MOTE_LANE Vec3<F> exploration_step(const Mat3<F>& axes_world, Vec3<F> normal, F amount) {
  return axes_world * transpose_times(axes_world, normal) * amount;
}

// Close to normal: the sum of the four bytes of a random word, centred, of variance 1. Its tails
// end at 3.5, which the noise does not miss.
inline constexpr float kByteSumMean = 510.0f;
inline constexpr float kByteSumScale = 0.0067658235f;  // 1 / sqrt(4 (256^2 - 1) / 12)

}  // namespace mote
