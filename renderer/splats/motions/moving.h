#pragma once

// The values that a splat of a kind stores when it has a motion.

#include <type_traits>

#include "splats/kinds/fields.h"
#include "splats/kinds/stored.h"
#include "splats/motions/slice_query.h"

namespace mote {

/// The fields of a kind, and after them those of a motion. For StoredSplat, ActivatedSplat and
/// kPlane, which need no other members of a kind.
template <class Kind, class Motion>
struct KindWithMotion {
  static constexpr int kFieldCount = Kind::kFieldCount + Motion::kFieldCount;
  static constexpr Field field(int plane) {
    return plane < Kind::kFieldCount ? Kind::field(plane)
                                     : Motion::field(plane - Kind::kFieldCount);
  }
};

/// The same; the kind itself for a motion without fields.
template <class Kind, class Motion>
using MovingKind = std::conditional_t<Motion::kFieldCount == 0, Kind, KindWithMotion<Kind, Motion>>;

/// The factor of the temporal features of a splat: seconds after the middle of its life; 1 for
/// splats without a life, which have those of one moment.
template <class Kind, class Motion, class F, class LoadPlane>
MOTE_LANE F since_middle(const LoadPlane& load_plane, const SliceQuery<F>& query) {
  if constexpr (Motion::kHasLife) {
    return query.time_s - load_plane(kPlane<MovingKind<Kind, Motion>, Field::time_mean>);
  } else {
    return F(1.0f);
  }
}

}  // namespace mote
