#pragma once

#include "splats/splat_cloud.h"

namespace mote {

/// Sets the duration of a scene that moves, s: all times are multiplied by one factor, and the
/// number of frames stays. CHECKs that the old and the new one are above 0.
void set_duration(SplatCloud& cloud, double duration_s);

/// The same splats with the simplest motion that they have: `still` if all are static, `life` if
/// none has a curved path or a spin.
SplatCloud with_simplest_motion(SplatCloud cloud);

}  // namespace mote
