#pragma once

// Which of a splat's parameters share their learning rate.

#include "scene/splat_fields.h"

namespace mote {

enum class RateGroup : int { mean, log_scale, rotation, opacity, sh_0, sh_rest };
inline constexpr int kRateGroups = 6;

/// In the order of Field.
inline constexpr RateGroup kGroupOf[kFieldCount] = {
    RateGroup::mean,      RateGroup::mean,      RateGroup::mean,     RateGroup::log_scale,
    RateGroup::log_scale, RateGroup::log_scale, RateGroup::rotation, RateGroup::rotation,
    RateGroup::rotation,  RateGroup::rotation,  RateGroup::opacity};

/// What Adam needs of a group in one step.
struct AdamRate {
  float rate;          // AdamStep of the step
  const float* drift;  // AdamDrift::sums() of the steps before
};

}  // namespace mote
