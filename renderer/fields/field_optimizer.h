#pragma once

// The optimiser of a field for one parameter: Adam (Kingma & Ba 2015) and the average of the
// parameters over the steps, by the formulas of tiny-cuda-nn (optimizers/adam.h, ema.h). The tables
// that the formulas need are in fields/optimizer_tables.h.
//
// A parameter of an encoding whose gradient is 0 takes no part in a step: its moments do not decay
// and its own number of updates does not grow. Parameters of matrices take part in every step, and
// are pulled to 0.

#include <cstddef>
#include <cstdint>

#include "math/adam.h"

namespace mote {

/// Number of parameters that the optimiser visits or skips together. Matrices fill whole blocks.
inline constexpr std::size_t kFieldBlock = 16;

/// The constants of a step, the same for all parameters.
struct FieldAdam {
  float rate;  // learning rate
  float beta1, beta2, epsilon;
  float l2;  // d(loss)/d(value) per value, of matrices
};

/// The gradient of a parameter of a matrix, with the pull to 0.
template <class F>
MOTE_LANE F matrix_gradient(F gradient, F value, const FieldAdam& adam) {
  return fma(F(adam.l2), value, gradient);
}

/// One update. `correction` is sqrt(1 - beta2^n) / (1 - beta1^n) for the n-th update of the
/// parameter. The gradient is clamped to +-1e18 so that its square is finite.
template <class F>
MOTE_LANE AdamState<F> field_adam_update(AdamState<F> s, F gradient, F correction,
                                         const FieldAdam& adam) {
  const F most(1e18f);
  const F g = max(min(gradient, most), -most);
  s.first = fma(F(1 - adam.beta1), g - s.first, s.first);
  s.second = fma(F(1 - adam.beta2), fma(g, g, -s.second), s.second);
  s.value = fnma(F(adam.rate) * correction * s.first, reciprocal(sqrt(s.second) + F(adam.epsilon)),
                 s.value);
  return s;
}

/// The average after steps in which the parameter was `value`. The average is kept without bias:
///   average_t = sum_s<=t (1 - decay) decay^(t - s) value_s / (1 - decay^t).
/// If the value does not change for k steps up to step t, they move the average to the value by the
/// share (1 - decay^k) / (1 - decay^t). So steps without an update need no visit.
template <class F>
MOTE_LANE F averaged(F average, F value, F share) {
  return fma(share, value - average, average);
}

/// A table whose last element counts for all larger numbers.
struct FieldTable {
  const float* values;
  std::uint32_t last;  // index
};

MOTE_LANE float element(FieldTable table, std::uint32_t number) {
  return table.values[number < table.last ? number : table.last];
}

/// The share by which `steps` steps without a change move the average until step `step`. `shares`:
/// average_shares().
MOTE_LANE float average_share(FieldTable shares, std::uint32_t steps, std::uint32_t step) {
  return steps == 0 ? 0 : element(shares, steps) / element(shares, step);
}

/// The shares of a block's average in a step.
template <class F>
struct AverageShares {
  F missed, own;  // of the steps since the last visit, and of this one
};

/// `visited`: the step whose average the block has.
MOTE_LANE AverageShares<float> shares_in_step(FieldTable shares, std::uint32_t visited,
                                              std::uint32_t step) {
  return {average_share(shares, step - 1 - visited, step - 1), average_share(shares, 1, step)};
}

/// The average after a step that changes the value from `before` to `after`.
template <class F>
MOTE_LANE F average_after(F average, F before, F after, const AverageShares<F>& shares) {
  return averaged(averaged(average, before, shares.missed), after, shares.own);
}

/// A step of a parameter where `updated` holds; elsewhere it stays.
template <bool MATRIX, class F, class Mask>
MOTE_LANE AdamState<F> field_adam_step(const AdamState<F>& before, F gradient, Mask updated,
                                       F correction, const FieldAdam& adam) {
  const AdamState<F> after = field_adam_update(
      before, MATRIX ? matrix_gradient(gradient, before.value, adam) : gradient, correction, adam);
  return {select(updated, after.value, before.value), select(updated, after.first, before.first),
          select(updated, after.second, before.second)};
}

}  // namespace mote
