#pragma once

// The groups of splat parameters that share a learning rate.

#include "splats/splat_fields.h"

namespace mote {

enum class RateGroup : int { mean, log_scale, rotation, opacity, sh_0, sh_rest };
inline constexpr int kRateGroups = 6;

/// The group of a Field.
constexpr RateGroup group_of(Field field) {
  if (field <= Field::mean_z) return RateGroup::mean;
  if (field <= Field::log_scale_z) return RateGroup::log_scale;
  return field <= Field::rotation_z ? RateGroup::rotation : RateGroup::opacity;
}

/// The input of Adam for one group in one step.
struct AdamRate {
  float rate;          // AdamStep::rate of the step
  const float* drift;  // AdamDrift::sums() of the steps before
};

}  // namespace mote
