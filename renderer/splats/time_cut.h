#pragma once

#include "splats/life_range.h"
#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

/// The splats that can be seen at some time of the range. Splats without a life live for ever.
SplatMask living_in(const SplatCloud& cloud, const LifeRange& range);

/// The part of a moving scene from `from_s` to `to_s` as a scene that begins at 0: splats that are
/// seen at none of these times are left out. CHECKs that the splats move and that from_s < to_s.
SplatCloud cut_in_time(const SplatCloud& cloud, double from_s, double to_s);

}  // namespace mote
