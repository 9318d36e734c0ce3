#pragma once

// The query of a view to a motion: a splat is sliced at this time, as seen from this place.

#include "math/vector.h"

namespace mote {

template <class F>
struct SliceQuery {
  F time_s;
  Vec3<F> eye_world;  // centre of the camera, in the frame of the splats
};

/// The query for motions that do not depend on the direction.
template <class F>
MOTE_LANE SliceQuery<F> at_time(F time_s) {
  return {time_s, {F(0.0f), F(0.0f), F(0.0f)}};
}

}  // namespace mote
