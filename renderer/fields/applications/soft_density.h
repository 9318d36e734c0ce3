#pragma once

// Densities by a softplus in place of an exponential, as those of dense voxel grids that are
// activated after the interpolation (Sun, Sun and Chen 2022, "Direct Voxel Grid Optimization"):
// a cell of the grid has the optical thickness softplus(raw + shift).

#include <cmath>

#include "fields/applications/shading.h"
#include "lanes/scalar.h"

namespace mote {

/// The shift with which a cell has the opacity `alpha` where the raw density is 0.
inline double soft_density_shift(double alpha) {
  return std::log(1 / (1 - alpha) - 1);
}

/// log(log(1 + e^x)). Linear for low x.
template <class F>
MOTE_LANE F log_softplus(F x) {
  constexpr float kLog2 = 0.693147180559945309f;
  const F one(1.0f), e = exp(max(-abs(x), F(-87.0f)));
  // log(1 + e) / e: the sum would lose the digits of a small e.
  const F series =
      fnma(e, fnma(e, fnma(e, fnma(e, F(1.0f / 5), F(1.0f / 4)), F(1.0f / 3)), F(1.0f / 2)), one);
  const F value = fma(log2(one + e), F(kLog2), max(x, F(0.0f)));
  const auto is_low = x < F(-3.0f);
  return fma(log2(select(is_low, series, value)), F(kLog2), keep(is_low, x));
}

/// The derivative of log_softplus(), from softplus(x) itself.
template <class F>
MOTE_LANE F log_softplus_slope(F softplus) {
  const F series = fnma(softplus, fnma(softplus, F(1.0f / 6), F(0.5f)), F(1.0f));
  const F ratio = opacity_of_thickness(softplus) / max(softplus, F(1e-2f));
  return select(softplus < F(1e-2f), series, ratio);
}

}  // namespace mote
