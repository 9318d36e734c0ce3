#pragma once

// The list of motions. Kernels that read a splat at a time of the view are instantiated for each
// combination of kind and motion.

#include "splats/kinds/kinds.h"
#include "splats/motions/still.h"

namespace mote {

template <class... MOTION>
struct MotionList {};

/// In the order of SplatMotion.
using SplatMotions = MotionList<Still>;

/// Calls visit.operator()<Motion>(), whose type of result is the same for all motions.
template <class Visit, class FIRST, class... REST>
auto visit_motion(SplatMotion motion, const Visit& visit, MotionList<FIRST, REST...>) {
  if constexpr (sizeof...(REST) > 0) {
    if (motion != FIRST::kMotion) return visit_motion(motion, visit, MotionList<REST...>());
  }
  return visit.template operator()<FIRST>();
}

template <class Visit>
auto visit_motion(SplatMotion motion, const Visit& visit) {
  return visit_motion(motion, visit, SplatMotions());
}

/// Calls visit.operator()<Kind, Motion>().
template <class Visit>
auto visit_moving(SplatKind kind, SplatMotion motion, const Visit& visit) {
  return visit_kind(kind, [&]<class Kind>() {
    return visit_motion(motion,
                        [&]<class Motion>() { return visit.template operator()<Kind, Motion>(); });
  });
}

}  // namespace mote
