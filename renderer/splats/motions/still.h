#pragma once

// The motion of a splat that stands still, which has no parameters. splats/motions/life.h shows the
// members of motions in time, splats/motions/conditional.h those of a motion by direction.

#include "math/vector.h"
#include "splats/kinds/fields.h"
#include "splats/kinds/splat_motion.h"
#include "splats/kinds/stored.h"
#include "splats/motions/motion_paint.h"
#include "splats/motions/slice_query.h"

namespace mote {

struct Still {
  static constexpr SplatMotion kMotion = SplatMotion::still;
  static constexpr const char* kName = "still";
  static constexpr const char* kDescription = "splats that stand still";
  /// Whether splats fade in and out, so that some do not live at a time.
  static constexpr bool kHasLife = false;
  /// Whether the motion has a factor on the opacity: weight() and is_seen().
  static constexpr bool kHasWeight = false;
  /// Whether splats depend on the direction in which they are seen: direction_vjp().
  static constexpr bool kIsDirectional = false;
  static constexpr int kFieldCount = 0;
  static constexpr Field field(int) { return Field::mean_x; }

  /// The mean in a slice, world units. load(p) returns plane p.
  template <class Whole, class F, class Load>
  static MOTE_LANE Vec3<F> mean_at(const Load& load, const SliceQuery<F>&) {
    return {load(kPlane<Whole, Field::mean_x>), load(kPlane<Whole, Field::mean_y>),
            load(kPlane<Whole, Field::mean_z>)};
  }
  /// The whole splat in that slice. Splat: StoredSplat or ActivatedSplat of any kind.
  template <class Kind, class Splat, class F>
  static MOTE_LANE const Splat& at(const Splat& splat, const SliceQuery<F>&) {
    return splat;
  }
  /// The colour that shows the splat's motion.
  template <class Whole, class F>
  static MOTE_LANE Vec3<F> painted(const ActivatedSplat<Whole, F>&, const MotionPaint&) {
    return {F(kStillGrey), F(kStillGrey), F(kStillGrey)};
  }
  /// dL/d(stored values) from dL/d(at(splat, query)).
  template <class Kind, class F>
  static MOTE_LANE const StoredSplat<Kind, F>& at_vjp(const StoredSplat<Kind, F>&,
                                                      const SliceQuery<F>&,
                                                      const StoredSplat<Kind, F>& d_at) {
    return d_at;
  }
};

}  // namespace mote
