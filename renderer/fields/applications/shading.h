#pragma once

// One sample of a NeRF: from the outputs of its networks to thickness, opacity and colour, with the
// derivatives by the outputs (Mildenhall et al. 2020; activations of instant-ngp).

#include "lanes/scalar.h"
#include "math/activations.h"

namespace mote {

inline constexpr float kMostLogDensity = 15;  // bounds of the logarithm, so that all is finite
inline constexpr float kMostLogColor = 10;    // the same for colours of high dynamic range

template <class F>
MOTE_LANE F bounded(F x, float most) {
  return max(min(x, F(most)), F(-most));
}

/// Density times length. Its derivative by `raw_density` is itself.
template <class F>
MOTE_LANE F optical_thickness(F raw_density, F length) {
  return exp(bounded(raw_density, kMostLogDensity)) * length;
}

/// 1 - e^-thickness. Its derivative by the thickness is 1 - opacity.
template <class F>
MOTE_LANE F opacity_of_thickness(F thickness) {
  // The difference loses the digits of thin samples; there, the series has all of them.
  const F series = thickness * fnma(thickness, fnma(thickness, F(1.0f / 6), F(0.5f)), F(1.0f));
  return select(thickness < F(1e-2f), series, F(1.0f) - exp(-min(thickness, F(87.0f))));
}

template <bool HDR, class F>
MOTE_LANE F field_color(F raw) {
  if constexpr (HDR) {
    return exp(bounded(raw, kMostLogColor));
  } else {
    return sigmoid(raw);
  }
}

/// dL/draw, from the colour.
template <bool HDR, class F>
MOTE_LANE F field_color_vjp(F color, F d_color) {
  return HDR ? exp_vjp(color, d_color) : sigmoid_vjp(color, d_color);
}

}  // namespace mote
