#pragma once

// A layer of Gaussians as a network (Gaussian radial basis functions):
// y = sum_k w_k exp(-sum_d s_kd^2 (f_d - mu_kd)^2), with a width for each Gaussian and input.
// tiny-cuda-nn has no such network: its parameters and its name in configurations are Mote's own.

#include <cstddef>

#include "fields/networks/mlp_layout.h"
#include "lanes/scalar.h"

namespace mote {

/// The parameters of a layer of Gaussians: the weights [outputs][count], as those of a layer of a
/// perceptron whose inputs are the Gaussians, then the centres mu and the sharpnesses s, both
/// [count][inputs]. Inputs and outputs are padded to multiples of 16.
struct GaussianLayout {
  MlpLayer weights;
  std::size_t count = 0, inputs = 0;
  std::size_t centers = 0, sharpness = 0, parameters = 0;  // places
};

/// `config.neurons` is the number of Gaussians, a multiple of kNeuronAlignment.
GaussianLayout gaussian_layout(const MlpConfig& config);

/// Upper bound on the exponent of a Gaussian, with which its value is a normal float.
inline constexpr float kMostGaussianExponent = 87;

/// The part of a Gaussian's exponent by one input.
template <class F>
MOTE_LANE F gaussian_exponent(F feature, F center, F sharpness) {
  const F t = sharpness * (feature - center);
  return t * t;
}

template <class F>
struct GaussianExponentGradient {
  F feature, sharpness;  // that of the centre is minus that of the feature
};

template <class F>
MOTE_LANE GaussianExponentGradient<F> gaussian_exponent_vjp(F feature, F center, F sharpness,
                                                            F d_exponent) {
  const F offset = feature - center, common = F(2.0f) * d_exponent * sharpness * offset;
  return {common * sharpness, common * offset};
}

/// The change of gaussian_exponent() while the feature changes with `feature_rate`.
template <class F>
MOTE_LANE F gaussian_exponent_rate(F feature, F feature_rate, F center, F sharpness) {
  return F(2.0f) * sharpness * sharpness * (feature - center) * feature_rate;
}

template <class F>
struct GaussianRateGradient {
  F feature, feature_rate, sharpness;  // that of the centre is minus that of the feature
};

template <class F>
MOTE_LANE GaussianRateGradient<F> gaussian_exponent_rate_vjp(F feature, F feature_rate, F center,
                                                             F sharpness, F d_rate) {
  const F offset = feature - center, common = F(2.0f) * d_rate * sharpness;
  return {common * sharpness * feature_rate, common * sharpness * offset,
          F(2.0f) * common * offset * feature_rate};
}

/// The value of a Gaussian.
template <class F>
MOTE_LANE F gaussian(F exponent) {
  return exp(-min(exponent, F(kMostGaussianExponent)));
}

/// dL/dexponent, from the value.
template <class F>
MOTE_LANE F gaussian_vjp(F value, F d_value) {
  return -value * d_value;
}

/// The change of a Gaussian's value, from that of its exponent.
template <class F>
MOTE_LANE F gaussian_rate(F value, F exponent_rate) {
  return -value * exponent_rate;
}

}  // namespace mote
