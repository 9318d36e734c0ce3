#include "splats/life_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/activations.h"
#include "splats/kinds/alpha.h"
#include "splats/motions/life.h"

namespace mote {

LifeRange joined(const LifeRange& a, const LifeRange& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.from_s, b.from_s), std::max(a.to_s, b.to_s)};
}

LifeRange life_range(double opacity, double time_mean, double sigma, double plateau) {
  constexpr double kForEver = std::numeric_limits<double>::infinity();
  constexpr double kRounding = 1e-5;
  // Phrased positively, so that NaN fails.
  const double seen = opacity * (1 + kRounding) / static_cast<double>(kAlphaMin);
  if (!(seen >= 1)) return {kForEver, -kForEver};
  if (!(sigma < kForEver) || plateau >= 0.99 * static_cast<double>(kStaticPlateau_s)) {
    return {-kForEver, kForEver};
  }
  const double half = (plateau + sigma * std::sqrt(2 * std::log(seen))) * (1 + kRounding);
  return {time_mean - half, time_mean + half};
}

LifeRange life_range(const MotionValues& motion, float logit_opacity) {
  return life_range(sigmoid(static_cast<double>(logit_opacity)),
                    static_cast<double>(motion[Field::time_mean]),
                    std::exp(static_cast<double>(motion[Field::log_time_sigma])),
                    std::exp(static_cast<double>(motion[Field::log_time_plateau])));
}

}  // namespace mote
