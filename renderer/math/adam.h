#pragma once

// Adam (Kingma & Ba 2015) for one parameter, and the combined effect of many steps of zero
// gradient. Splats out of view therefore cost nothing until they are next seen ("lazy dense Adam").
//
// With zero gradient the moments only decay. Step i, which is j steps after the last update, moves
// the parameter by c(i) r^j m / sqrt(v), where m and v are the moments at the last update,
//   r = beta1 / sqrt(beta2)  and  c(i) = rate(i) sqrt(1 - beta2^i) / (1 - beta1^i).
// The sum of c(i) r^j is the same for all parameters of a group with the same last update.
// AdamDrift (math/adam_drift.h) keeps it for each step. The rates may be arbitrary. The
// sum is exact, so lazy and dense Adam differ by rounding and epsilon only.

#include <cstdint>

#include "lanes/scalar.h"

namespace mote {

inline constexpr double kAdamBeta1 = 0.9, kAdamBeta2 = 0.999, kAdamEpsilon = 1e-15;

/// The terms that depend only on the step number, the same for all parameters of a group.
/// `rate` is learning rate / (1 - beta1^t), `inverse_root` is 1 / sqrt(1 - beta2^t).
struct AdamStep {
  float rate, inverse_root;
};

/// The AdamStep of step `t` (from 1).
AdamStep adam_step_at(std::uint64_t t, double learning_rate);

/// Value and moments of a parameter.
template <class F>
struct AdamState {
  F value, first, second;
};

/// One step. The gradient is clamped to +-1e18 so that its square is finite: an infinite second
/// moment would freeze the parameter.
template <class F>
MOTE_LANE AdamState<F> adam_update(AdamState<F> s, F gradient, F rate, F inverse_root) {
  const F most(1e18f), epsilon(static_cast<float>(kAdamEpsilon));
  const F g = max(min(gradient, most), -most);
  s.first = fma(F(static_cast<float>(1 - kAdamBeta1)), g - s.first, s.first);
  s.second = fma(F(static_cast<float>(1 - kAdamBeta2)), fma(g, g, -s.second), s.second);
  s.value = fnma(rate * s.first, reciprocal(fma(sqrt(s.second), inverse_root, epsilon)), s.value);
  return s;
}

/// Decay factors of the moments over a number of steps of zero gradient.
template <class F>
struct AdamDecay {
  F first, second;  // beta^steps
};

/// `steps` >= 0, one per lane.
template <class F>
MOTE_LANE AdamDecay<F> adam_decay(F steps) {
  constexpr double kLog2Beta1 = -0.15200309344504995, kLog2Beta2 = -0.0014434168696687186;
  return {exp2_or_zero(steps * F(static_cast<float>(kLog2Beta1))),
          exp2_or_zero(steps * F(static_cast<float>(kLog2Beta2)))};
}

/// Applies all steps that a parameter missed. `drift` is AdamDrift's sum for the step of the last
/// update. `decay` is the decay over the steps since then. A drift of 0 and a decay of 1 change
/// nothing.
template <class F>
MOTE_LANE AdamState<F> adam_catch_up(AdamState<F> s, AdamDecay<F> decay, F drift) {
  const F epsilon(static_cast<float>(kAdamEpsilon));
  return {fnma(drift * s.first, reciprocal(sqrt(s.second) + epsilon), s.value),
          s.first * decay.first, s.second * decay.second};
}

}  // namespace mote
