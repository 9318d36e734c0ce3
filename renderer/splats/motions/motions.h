#pragma once

// The list of motions. Kernels that slice a splat for a view are instantiated for each
// kind that stands still, and for the combinations of kCombined.

#include <type_traits>

#include "splats/kinds/kinds.h"
#include "splats/motions/conditional.h"
#include "splats/motions/life.h"
#include "splats/motions/moving.h"
#include "splats/motions/poly.h"
#include "splats/motions/still.h"

namespace mote {

template <class... MOTION>
struct MotionList {};

/// In the order of SplatMotion.
using SplatMotions = MotionList<Still, Life, Poly, Conditional>;

/// Whether there are splats of the kind with the motion.
template <class Kind, class Motion>
inline constexpr bool kCombined = Motion::kFieldCount == 0 || std::is_same_v<Kind, Gaussian>;

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

/// Calls visit.operator()<Kind, Motion>(), whose type of result is the same for all. A SplatCloud
/// is never of another combination than those of kCombined.
template <class Visit>
auto visit_moving(SplatKind kind, SplatMotion motion, const Visit& visit) {
  return visit_kind(kind, [&]<class Kind>() {
    return visit_motion(motion, [&]<class Motion>() {
      using Result = decltype(visit.template operator()<Kind, Still>());
      if constexpr (kCombined<Kind, Motion>) {
        return visit.template operator()<Kind, Motion>();
      } else {
        __builtin_trap();
        return Result();
      }
    });
  });
}

}  // namespace mote
