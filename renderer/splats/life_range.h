#pragma once

// The times at which splats can be seen.

#include <limits>

#include "math/activations.h"
#include "splats/kinds/alpha.h"
#include "splats/motions/life.h"
#include "splats/splat_geometry.h"

namespace mote {

/// A range of times, s; empty if to_s < from_s.
struct LifeRange {
  double from_s, to_s;

  bool has(double time_s) const { return from_s <= time_s && time_s <= to_s; }
  MOTE_LANE bool empty() const { return !(from_s <= to_s); }
};

/// The union of both.
LifeRange joined(const LifeRange& a, const LifeRange& b);

/// The life of a splat: the times t at which opacity * weight >= kAlphaMin. Static splats and
/// splats without a life live for ever, unless they are too faint. `opacity`, `sigma` and `plateau`
/// are activated values. The range is wider than the exact one by 1e-5 of its length, since kernels
/// round.
MOTE_LANE LifeRange life_range(double opacity, double time_mean, double sigma, double plateau) {
  constexpr double kForEver = std::numeric_limits<double>::infinity();
  constexpr double kRounding = 1e-5, kLn2 = 0.69314718055994530942;
  // Phrased positively, so that NaN fails.
  const double seen = opacity * (1 + kRounding) / static_cast<double>(kAlphaMin);
  if (!(seen >= 1)) return {kForEver, -kForEver};
  if (!(sigma < kForEver) || plateau >= static_cast<double>(kLeastStaticPlateau_s)) {
    return {-kForEver, kForEver};
  }
  const double half = (plateau + sigma * sqrt(2 * kLn2 * log2(seen))) * (1 + kRounding);
  return {time_mean - half, time_mean + half};
}

MOTE_LANE LifeRange life_range(const MotionValues& motion, float logit_opacity) {
  return life_range(sigmoid(static_cast<double>(logit_opacity)),
                    static_cast<double>(motion[Field::time_mean]),
                    exp(static_cast<double>(motion[Field::log_time_sigma])),
                    exp(static_cast<double>(motion[Field::log_time_plateau])));
}

}  // namespace mote
