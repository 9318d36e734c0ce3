#pragma once

#include "scene/splat_cloud.h"
#include "scene/splat_mask.h"

namespace mote {

/// `selected` and what of `among` lies no farther than `distance` (world units) from one of it,
/// mean to mean. Means that are not finite are nowhere.
SplatMask grown(const SplatCloud& cloud, const SplatMask& selected, const SplatMask& among,
                double distance);

/// What of `selected` lies farther than `distance` from all of `among` that is not selected.
SplatMask shrunk(const SplatCloud& cloud, const SplatMask& selected, const SplatMask& among,
                 double distance);

}  // namespace mote
