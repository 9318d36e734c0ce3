#pragma once

// The list of motions. Kernels that see a splat at a time are instantiated for each kind with each
// of them.

#include "splats/kinds/kinds.h"
#include "splats/motions/still.h"

namespace mote {

template <class... MOTION>
struct MotionList {};

/// In the order of SplatMotion.
using SplatMotions = MotionList<Still>;

/// visit.operator()<Motion>() of a motion. All motions give the same type of result.
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

/// visit.operator()<Kind, Motion>() of both.
template <class Visit>
auto visit_moving(SplatKind kind, SplatMotion motion, const Visit& visit) {
  return visit_kind(kind, [&]<class Kind>() {
    return visit_motion(motion,
                        [&]<class Motion>() { return visit.template operator()<Kind, Motion>(); });
  });
}

}  // namespace mote
