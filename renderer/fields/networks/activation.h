#pragma once

// Activations of the layers of a network, by the definitions of tiny-cuda-nn.

#include <array>
#include <string_view>

#include "lanes/scalar.h"
#include "math/activations.h"

namespace mote {

enum class LayerActivation {
  none,
  relu,
  leaky_relu,
  silu,
  exponential,
  sine,
  sigmoid,
  squareplus,
  softplus,
  tanh
};

/// Names in configurations, in the order of LayerActivation.
inline constexpr std::array<std::string_view, 10> kActivationNames{
    "None", "ReLU",    "LeakyReLU",  "SiLU",     "Exponential",
    "Sine", "Sigmoid", "Squareplus", "Softplus", "Tanh"};

inline constexpr float kLeak = 0.01f;             // slope of LeakyReLU below 0
inline constexpr float kSoftnessSharpening = 10;  // of Squareplus and Softplus

/// Bounds of exponents, so that results stay finite.
template <class F>
MOTE_LANE F bounded_exponent(F x) {
  return max(min(x, F(87.0f)), F(-87.0f));
}

template <LayerActivation ACTIVATION, class F>
MOTE_LANE F activate(F x) {
  const F zero(0.0f), one(1.0f), sharp(kSoftnessSharpening), blunt(1 / kSoftnessSharpening);
  switch (ACTIVATION) {
    case LayerActivation::none:
      return x;
    case LayerActivation::relu:
      return max(x, zero);
    case LayerActivation::leaky_relu:
      return max(x, F(kLeak) * x);
    case LayerActivation::silu:
      return x * sigmoid(x);
    case LayerActivation::exponential:
      return exp(bounded_exponent(x));
    case LayerActivation::sine:
      return sin_pi(x * F(0.318309886183790672f));
    case LayerActivation::sigmoid:
      return sigmoid(x);
    case LayerActivation::squareplus:
      return F(0.5f) * blunt * fma(x, sharp, sqrt(fma(x * sharp, x * sharp, F(4.0f))));
    case LayerActivation::softplus: {
      // ln(1 + e^y) = max(y, 0) + ln(1 + e^-|y|).
      const F y = x * sharp;
      const F rest = log2(one + exp(bounded_exponent(-abs(y)))) * F(0.693147180559945309f);
      return blunt * (max(y, zero) + rest);
    }
    case LayerActivation::tanh:
      break;
  }
  return fma(F(2.0f), sigmoid(F(2.0f) * x), F(-1.0f));
}

/// dL/dx, from the argument x and the result y.
template <LayerActivation ACTIVATION, class F>
MOTE_LANE F activate_vjp(F x, F y, F d_y) {
  const F zero(0.0f), one(1.0f), sharp(kSoftnessSharpening);
  switch (ACTIVATION) {
    case LayerActivation::none:
      return d_y;
    case LayerActivation::relu:
      return keep(x > zero, d_y);
    case LayerActivation::leaky_relu:
      return select(x > zero, d_y, F(kLeak) * d_y);
    case LayerActivation::silu: {
      const F s = sigmoid(x);
      return d_y * fma(y, one - s, s);
    }
    case LayerActivation::exponential:
      return exp_vjp(y, d_y);
    case LayerActivation::sine:
      return d_y * sin_pi(fma(x, F(0.318309886183790672f), F(0.5f)));
    case LayerActivation::sigmoid:
      return sigmoid_vjp(y, d_y);
    case LayerActivation::squareplus: {
      const F t = x * sharp;
      return d_y * F(0.5f) * (one + t / sqrt(fma(t, t, F(4.0f))));
    }
    case LayerActivation::softplus:
      return d_y * sigmoid(x * sharp);
    case LayerActivation::tanh:
      break;
  }
  return d_y * fnma(y, y, one);
}

/// The second derivative, from the argument x and the result y.
template <LayerActivation ACTIVATION, class F>
MOTE_LANE F activation_curvature(F x, F y) {
  const F zero(0.0f), one(1.0f), two(2.0f), sharp(kSoftnessSharpening);
  switch (ACTIVATION) {
    case LayerActivation::none:
    case LayerActivation::relu:
    case LayerActivation::leaky_relu:
      return zero;
    case LayerActivation::silu: {
      const F s = sigmoid(x);
      return s * (one - s) * fma(x, fnma(two, s, one), two);
    }
    case LayerActivation::exponential:
      return y;
    case LayerActivation::sine:
      return -y;
    case LayerActivation::sigmoid:
      return y * (one - y) * fnma(two, y, one);
    case LayerActivation::squareplus: {
      const F t = x * sharp, square = fma(t, t, F(4.0f));
      return two * sharp / (square * sqrt(square));
    }
    case LayerActivation::softplus: {
      const F s = sigmoid(x * sharp);
      return sharp * s * (one - s);
    }
    case LayerActivation::tanh:
      break;
  }
  return -two * y * fnma(y, y, one);
}

/// Calls visit<ACTIVATION>() for an activation that is known at run time.
template <class Visit>
MOTE_LANE decltype(auto) visit_activation(LayerActivation activation, const Visit& visit) {
  switch (activation) {
    case LayerActivation::none:
      return visit.template operator()<LayerActivation::none>();
    case LayerActivation::relu:
      return visit.template operator()<LayerActivation::relu>();
    case LayerActivation::leaky_relu:
      return visit.template operator()<LayerActivation::leaky_relu>();
    case LayerActivation::silu:
      return visit.template operator()<LayerActivation::silu>();
    case LayerActivation::exponential:
      return visit.template operator()<LayerActivation::exponential>();
    case LayerActivation::sine:
      return visit.template operator()<LayerActivation::sine>();
    case LayerActivation::sigmoid:
      return visit.template operator()<LayerActivation::sigmoid>();
    case LayerActivation::squareplus:
      return visit.template operator()<LayerActivation::squareplus>();
    case LayerActivation::softplus:
      return visit.template operator()<LayerActivation::softplus>();
    case LayerActivation::tanh:
      break;
  }
  return visit.template operator()<LayerActivation::tanh>();
}

}  // namespace mote
