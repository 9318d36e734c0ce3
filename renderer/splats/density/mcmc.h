#pragma once

// What 3DGS-MCMC does with one splat (Kheradmand et al. 2024, "3D Gaussian Splatting as Markov
// Chain Monte Carlo", section 4 and its supplement). What it does with a set of them:
// backend/mcmc_edit.h, and the kernels of a backend.

#include <cmath>
#include <cstdint>

#include "lanes/scalar.h"
#include "math/activations.h"
#include "math/counter_random.h"
#include "splats/splat_geometry.h"

namespace mote {

struct McmcRules {
  double dead_opacity = 0.005;  // up to it a splat is dead
  std::uint64_t count = 0;      // splats to have afterwards; never removes
};

/// The logit up to which a splat is dead: what is stored is compared, the same on every device.
inline double dead_logit(const McmcRules& rules) {
  return std::log(rules.dead_opacity / (1 - rules.dead_opacity));
}

/// One splat shared out over several in the same place.
struct Relocated {
  double opacity = 0, scale_factor = 1;  // of each; the factor is on all scales
};

inline constexpr int kMostCopies = 51;

/// What each of `copies` (1 to kMostCopies; more count as that) splats in one place must be so that
/// together they look like one of this opacity (0 to below 1): the opacity so that they are as
/// opaque at the centre, the scale so that the integral of their blended opacity over a line
/// through it is the same.
MOTE_LANE Relocated relocated(double opacity, int copies) {
  const int n = copies < kMostCopies ? copies : kMostCopies;
  const double each = 1 - std::pow(1 - opacity, 1.0 / n);
  if (n <= 1 || !(each > 0)) return {opacity, 1};
  // The blend of n is the sum over i of each*G*(1-each*G)^(i-1); G^(k+1) integrates to
  // 1/sqrt(k+1) of G.
  double integral = 0;
  for (int i = 1; i <= n; ++i) {
    double power = each, binomial = 1;  // C(i - 1, k), exact as a double
    for (int k = 0; k < i; ++k) {
      integral += binomial * power / std::sqrt(static_cast<double>(k + 1));
      power *= -each;
      binomial = binomial * (i - 1 - k) / (k + 1);
    }
  }
  return {each, opacity / integral};
}

/// One splat of the set while it changes.
struct McmcMember {
  double opacity;         // as it is now
  double log_factor;      // on the scales of the source
  std::uint32_t source;   // whose copy it is
  std::uint32_t changed;  // 0: as the source is
};

MOTE_LANE McmcMember mcmc_member(const SplatGeometry& splat, std::uint32_t number) {
  // Opacity 1 cannot be shared: nothing is left of the transmittance to divide.
  constexpr double kMostOpaque = 1 - 1e-7;
  return {min(sigmoid(static_cast<double>(splat.logit_opacity)), kMostOpaque), 0, number, 0};
}

/// Makes the member one of `copies`, more than one, that look like it together.
MOTE_LANE void share(McmcMember& member, int copies) {
  const Relocated look = relocated(member.opacity, copies);
  member.opacity = look.opacity;
  member.log_factor += std::log(look.scale_factor);
  member.changed = 1;
}

/// The geometry of a member, given that of its source.
MOTE_LANE SplatGeometry member_geometry(const McmcMember& member, const SplatGeometry& source) {
  SplatGeometry geometry = source;
  if (member.changed == 0) return geometry;
  geometry.logit_opacity = static_cast<float>(std::log(member.opacity / (1 - member.opacity)));
  for (float& log_scale : geometry.log_scale) {
    log_scale = static_cast<float>(static_cast<double>(log_scale) + member.log_factor);
  }
  return geometry;
}

/// An opacity as a weight in the lottery: an integer, of which sums are the same in any order.
MOTE_LANE std::uint64_t lottery_weight(double opacity) {
  return static_cast<std::uint64_t>(opacity * 0x1p32);
}

/// Whom random bits draw, in proportion to weights, of which sums[i] is the sum up to and with i:
/// one of `count`, more than 0. Where all weights are zero, the last.
MOTE_LANE std::uint32_t lottery_winner(const std::uint64_t* sums, std::uint32_t count,
                                       std::uint64_t bits) {
  const std::uint64_t ticket = random_below(sums[count - 1], bits);
  std::uint32_t first = 0, last = count - 1;
  while (first < last) {
    const std::uint32_t middle = first + (last - first) / 2;
    if (sums[middle] > ticket) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

}  // namespace mote
