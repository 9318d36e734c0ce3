#pragma once

// The times at which splats can be seen.

#include "splats/splat_geometry.h"

namespace mote {

/// A range of times, s; empty if to_s < from_s.
struct LifeRange {
  double from_s, to_s;

  bool has(double time_s) const { return from_s <= time_s && time_s <= to_s; }
  bool empty() const { return !(from_s <= to_s); }
};

/// The union of both.
LifeRange joined(const LifeRange& a, const LifeRange& b);

/// The life of a splat: the times t at which opacity * weight >= kAlphaMin. Static splats and
/// splats without a life live for ever, unless they are too faint. `opacity`, `sigma` and `plateau`
/// are activated values. The range is wider than the exact one by 1e-5 of its length, since kernels
/// round.
LifeRange life_range(double opacity, double time_mean, double sigma, double plateau);
LifeRange life_range(const MotionValues& motion, float logit_opacity);

}  // namespace mote
