#pragma once

// Adam (Kingma & Ba 2015) for one parameter, and its closed form over steps whose gradient is zero,
// so that splats out of view cost nothing until they are next seen.

#include <cstdint>

#include "lanes/lane.h"

namespace mote {

inline constexpr double kAdamBeta1 = 0.9, kAdamBeta2 = 0.999, kAdamEpsilon = 1e-15;

/// What one step's number contributes, the same for all parameters of a group.
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

template <class F>
MOTE_LANE AdamState<F> adam_update(AdamState<F> s, F gradient, F rate, F inverse_root);

}  // namespace mote
