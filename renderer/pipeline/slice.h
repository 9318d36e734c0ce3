#pragma once

// The slice stage: the query of a camera to the motions of splats.

#include "cameras/view_camera.h"
#include "splats/motions/slice_query.h"

namespace mote {

template <class F>
MOTE_LANE SliceQuery<F> slice_query(const ViewCamera<F>& camera, F time_s) {
  return {time_s, camera.position_world};
}

}  // namespace mote
