#pragma once

// Adaptive density control of one splat (Kerbl et al. 2023, section 5.2; constants of their later
// code). The change of a whole set is in splats/density/adc_edit.h and in the backends' kernels.
// Decisions compare numbers that are the same on every device.

#include <cmath>
#include <cstdint>
#include <limits>

#include "lanes/scalar.h"
#include "math/activations.h"
#include "math/counter_random.h"
#include "math/quaternion.h"
#include "splats/splat_geometry.h"

namespace mote {

struct AdcRules {
  double gradient = 2e-4;  // mean norm at which a splat is densified
  /// Ignores `gradient` and densifies the splats with the largest norms until there are `most`.
  bool by_rank_alone = false;
  double clone_scale = 0;        // world units; smaller splats are cloned, larger ones split
  double prune_opacity = 0.005;  // fainter splats are removed
  double prune_scale = 0;        // world units; larger splats are removed; 0: none
  double prune_radius_px = 0;    // as prune_scale, for the radius in the image
  std::uint64_t most = 0;        // upper bound for densification; removes no splats
};

/// The change that a splat undergoes.
enum class Fate : std::uint8_t { stay, remove, clone, split };

/// The rules in terms of stored values. Comparing stored values needs no exponential, whose last
/// digit differs between devices.
struct AdcLimits {
  double gradient, least_claim;
  double clone_log_scale, prune_log_scale, prune_radius_px, prune_logit_opacity;
};

inline AdcLimits adc_limits(const AdcRules& rules) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  return {.gradient = rules.gradient,
          .least_claim = rules.by_rank_alone ? 0 : rules.gradient,
          .clone_log_scale = std::log(rules.clone_scale),
          .prune_log_scale = rules.prune_scale > 0 ? std::log(rules.prune_scale) : kNever,
          .prune_radius_px = rules.prune_radius_px > 0 ? rules.prune_radius_px : kNever,
          .prune_logit_opacity = logit(rules.prune_opacity)};
}

MOTE_LANE float largest_log_scale(const SplatGeometry& splat) {
  return max(splat.log_scale[0], max(splat.log_scale[1], splat.log_scale[2]));
}

/// The mean gradient of a splat if it may be densified, else -1. `gradient` is the sum over the
/// `seen` steps.
MOTE_LANE double adc_claim(const AdcLimits& limits, float gradient, std::uint32_t seen) {
  if (seen == 0) return -1;
  const double mean = static_cast<double>(gradient) / seen;
  return mean >= limits.least_claim ? mean : -1;
}

/// Whether the splat is too faint or too large. A large splat that would be split is not removed
/// for its size, since the split reduces it.
MOTE_LANE bool adc_prunes(const AdcLimits& limits, const SplatGeometry& splat, float radius_px,
                          double claim) {
  const bool large = static_cast<double>(largest_log_scale(splat)) > limits.prune_log_scale ||
                     static_cast<double>(radius_px) > limits.prune_radius_px;
  return static_cast<double>(splat.logit_opacity) < limits.prune_logit_opacity ||
         (large && claim < limits.gradient);
}

/// Whether a splat is removed. If all `count` splats were to be pruned, only broken ones are.
MOTE_LANE bool adc_removes(bool is_broken, bool prunes, std::uint64_t prunable,
                           std::uint64_t count) {
  return is_broken || (prunes && prunable < count);
}

/// The decision for a splat that is densified.
MOTE_LANE Fate adc_growth(const AdcLimits& limits, const SplatGeometry& splat) {
  const bool small = static_cast<double>(largest_log_scale(splat)) <= limits.clone_log_scale;
  return small ? Fate::clone : Fate::split;
}

/// One of the two results of a split, `child` 0 or 1. It has the parent's shape and is 1.6 times
/// smaller. Its position is drawn from the parent's distribution. `splat`: index of the parent.
template <class Kind>
MOTE_LANE SplatGeometry adc_child(const SplatGeometry& parent, std::uint64_t seed,
                                  std::uint64_t splat, unsigned child) {
  constexpr double kLogShrink = 0.4700036292457356;  // log 1.6
  const auto widened = [](float value) { return static_cast<double>(value); };
  const double spread = Kind::spread(stored_values<Kind>(parent));
  const auto along = [&](unsigned axis) {
    return spread * std::exp(widened(parent.log_scale[axis])) *
           random_normal(random_bits(seed, (splat * 2 + child) * 3 + axis));
  };
  const Vec3<double> offset =
      rotation_from(Quaternion<double>{widened(parent.rotation[0]), widened(parent.rotation[1]),
                                       widened(parent.rotation[2]), widened(parent.rotation[3])}) *
      Vec3<double>{along(0), along(1), along(2)};
  const double offsets[3] = {offset.x, offset.y, offset.z};
  SplatGeometry result = parent;
  for (int axis = 0; axis < 3; ++axis) {
    result.mean[axis] = static_cast<float>(widened(parent.mean[axis]) + offsets[axis]);
    result.log_scale[axis] = static_cast<float>(widened(parent.log_scale[axis]) - kLogShrink);
  }
  return result;
}

}  // namespace mote
