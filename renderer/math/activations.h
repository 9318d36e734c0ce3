#pragma once

// Activations from stored to used parameters. Derivatives are expressed by the result.

#include "lanes/scalar.h"

namespace mote {

/// 1 / (1 + e^-x); saturated for infinite x.
template <class F>
MOTE_LANE F sigmoid(F x) {
  const F bounded = max(min(x, F(87.0f)), F(-87.0f));
  return F(1.0f) / (F(1.0f) + exp(-bounded));
}

/// The inverse of sigmoid(), of a value from 0 to 1; infinite at the ends.
template <std::floating_point T>
MOTE_LANE T logit(T value) {
  return std::log(value / (1 - value));
}

template <class F>
MOTE_LANE F sigmoid_vjp(F sigmoid_x, F d_sigmoid) {
  return d_sigmoid * sigmoid_x * (F(1.0f) - sigmoid_x);
}

/// dL/dx of e^x.
template <class F>
MOTE_LANE F exp_vjp(F exp_x, F d_exp) {
  return d_exp * exp_x;
}

}  // namespace mote
