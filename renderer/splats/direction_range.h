#pragma once

// The directions from which splats of the motion `conditional` can be seen.

#include <algorithm>
#include <cmath>

#include "splats/kinds/alpha.h"
#include "splats/motions/conditional.h"

namespace mote {

/// Upper bound on |direction - direction_mean| where opacity * weight >= kAlphaMin. `opacity` and
/// `sigma` are activated values; `mean_length` is |direction_mean|. It is larger than the exact one
/// by 1e-4 of it, since kernels round.
inline double farthest_difference(double opacity, double sigma, double mean_length) {
  constexpr double kRounding = 1e-4;
  const double seen = std::max(opacity / static_cast<double>(kAlphaMin), 1.0);
  const double of_weight = sigma * std::sqrt(std::log(seen) / static_cast<double>(kLambdaOpacity));
  return (1 + kRounding) * std::min(1 + mean_length, of_weight);
}

}  // namespace mote
