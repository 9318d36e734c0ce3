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
