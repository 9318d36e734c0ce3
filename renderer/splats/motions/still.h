#pragma once

// The motion of a splat that stands still, which has no parameters. Other motions have the same
// members.

#include "math/vector.h"
#include "splats/motions/splat_motion.h"

namespace mote {

struct Still {
  static constexpr SplatMotion kMotion = SplatMotion::still;

  /// The mean at a time in seconds, world units.
  template <class F>
  static MOTE_LANE Vec3<F> mean_at(Vec3<F> mean, F) {
    return mean;
  }
  /// The whole splat at that time. Splat: StoredSplat or ActivatedSplat of any kind.
  template <class Splat, class F>
  static MOTE_LANE const Splat& at(const Splat& splat, F) {
    return splat;
  }
  /// dL/d(stored values) from dL/d(at(splat, time)).
  template <class Splat, class F>
  static MOTE_LANE const Splat& at_vjp(const Splat&, F, const Splat& d_at) {
    return d_at;
  }
};

}  // namespace mote
