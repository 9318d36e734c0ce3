#pragma once

// The exploration noise of MCMC (Kheradmand et al. 2024): mean += covariance * normal * scale *
// gate(opacity). The kind of splat gives the gate (Kind::exploration_gate).

#include "math/activations.h"
#include "splats/kinds/ewa.h"
#include "splats/kinds/stored.h"

namespace mote {

/// With a gate up to this value, the noise may be skipped.
inline constexpr float kLeastGate = 1e-6f;

/// `normal` has variance 1; `amount` is gate times scale.
template <class F>
MOTE_LANE Vec3<F> exploration_step(const Mat3<F>& axes_world, Vec3<F> normal, F amount) {
  return axes_world * transpose_times(axes_world, normal) * amount;
}

/// `mean` moved by `step`; unchanged where the result is not finite or too large.
template <class F>
MOTE_LANE F explored(F mean, F step) {
  const F moved = mean + step;
  return select(abs(moved) < F(1e30f), moved, mean);
}

/// The mean of a splat after its exploration. `normal` has variance 1.
template <class Kind, class F>
MOTE_LANE Vec3<F> explored_mean(const StoredSplat<Kind, F>& splat, Vec3<F> normal, F gate,
                                F scale) {
  const Vec3<F> deviation = activate(splat).scale() * Kind::spread(splat);
  const Mat3<F> axes = splat_axes(rotation_from(splat.rotation()), deviation);
  const Vec3<F> step = exploration_step(axes, normal, gate * scale), mean = splat.mean();
  return {explored(mean.x, step.x), explored(mean.y, step.y), explored(mean.z, step.z)};
}

// Approximately normal: the centred sum of the four bytes of a random word, with variance 1. Its
// tails end at 3.5, which is sufficient for the noise.
inline constexpr float kByteSumMean = 510.0f;
inline constexpr float kByteSumScale = 0.0067658235f;  // 1 / sqrt(4 (256^2 - 1) / 12)

}  // namespace mote
