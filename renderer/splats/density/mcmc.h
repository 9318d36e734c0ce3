#pragma once

// The changes of one splat in 3DGS-MCMC (Kheradmand et al. 2024, "3D Gaussian Splatting as Markov
// Chain Monte Carlo", section 4 and its supplement). The change of a whole set is in
// splats/density/mcmc_edit.h and in the backends' kernels.

#include <cmath>
#include <cstdint>

#include "lanes/scalar.h"
#include "math/activations.h"
#include "math/counter_random.h"
#include "splats/splat_geometry.h"

namespace mote {

struct McmcRules {
  double dead_opacity = 0.005;  // splats up to this opacity are dead
  std::uint64_t count = 0;      // number of splats to reach; removes no splats
};

/// Splats up to this logit of opacity are dead. Comparing stored values gives the same result on
/// every device.
inline double dead_logit(const McmcRules& rules) {
  return logit(rules.dead_opacity);
}

/// Whether the splat keeps its place. Broken and dead splats move to living ones.
MOTE_LANE bool mcmc_lives(bool is_broken, float logit_opacity, double dead_logit) {
  return !is_broken && static_cast<double>(logit_opacity) > dead_logit;
}

/// The values of the copies that replace one splat at its position.
struct Relocated {
  double opacity = 0, scale_factor = 1;  // of each copy; the factor applies to all scales
};

inline constexpr int kMostCopies = 51;

/// The opacity and scale of each of `copies` splats at one position that together look like one
/// splat of `opacity`, in [0, 1). The opacity keeps the blended opacity at the centre. The scale
/// keeps the integral of the blended opacity along a line through the centre. `copies` is at least
/// 1, and is clamped to kMostCopies.
MOTE_LANE Relocated relocated(double opacity, int copies) {
  const int n = copies < kMostCopies ? copies : kMostCopies;
  const double each = 1 - std::pow(1 - opacity, 1.0 / n);
  if (n <= 1 || !(each > 0)) return {opacity, 1};
  // n copies blend to the sum over i of each*G*(1-each*G)^(i-1); G^(k+1) integrates to 1/sqrt(k+1)
  // of G.
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

/// One splat of the set during the change.
struct McmcMember {
  double opacity;         // current value
  double log_factor;      // logarithm of the factor on the scales
  std::uint32_t source;   // index of the splat that it copies
  std::uint32_t changed;  // 0: equal to the source
};

MOTE_LANE McmcMember mcmc_member(const SplatGeometry& splat, std::uint32_t number) {
  // Opacity 1 cannot be divided among copies: no transmittance is left.
  constexpr double kMostOpaque = 1 - 1e-7;
  return {min(sigmoid(static_cast<double>(splat.logit_opacity)), kMostOpaque), 0, number, 0};
}

/// Makes the member one of `copies` (at least 2) splats that together look like the original.
/// `scaling`: whether the copies get smaller (Kind::kSharingScales).
MOTE_LANE void share(McmcMember& member, int copies, bool scaling) {
  const Relocated look = relocated(member.opacity, copies);
  member.opacity = look.opacity;
  if (scaling) member.log_factor += std::log(look.scale_factor);
  member.changed = 1;
}

/// The geometry of a member, given that of its source.
MOTE_LANE SplatGeometry member_geometry(const McmcMember& member, const SplatGeometry& source) {
  SplatGeometry geometry = source;
  if (member.changed == 0) return geometry;
  geometry.logit_opacity = static_cast<float>(logit(member.opacity));
  for (float& log_scale : geometry.log_scale) {
    log_scale = static_cast<float>(static_cast<double>(log_scale) + member.log_factor);
  }
  return geometry;
}

/// An opacity as an integer weight for drawing, so that sums do not depend on the order.
MOTE_LANE std::uint64_t lottery_weight(double opacity) {
  return static_cast<std::uint64_t>(opacity * 0x1p32);
}

/// An index in [0, count), drawn by random bits in proportion to weights. sums[i] is the inclusive
/// prefix sum of the weights; count is at least 1. Returns the last index if all weights are zero.
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
