#pragma once

#include "splats/picking.h"
#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

/// `selected`, plus the splats of `among` within `distance` (world units) of a selected one.
/// Distances are between means. Means that are not finite are not within any
/// distance.
SplatMask grown(const SplatCloud& cloud, const SplatMask& selected, const SplatMask& among,
                double distance);

/// The splats of `selected` that are farther than `distance` from every splat of `among` that is
/// not selected.
SplatMask shrunk(const SplatCloud& cloud, const SplatMask& selected, const SplatMask& among,
                 double distance);

/// The same at a time and from a place, where splats that move are then. Those that are not seen
/// then are near to none, and selected ones stay selected.
SplatMask grown(const SplatCloud& cloud, const SplatMask& selected, const SplatMask& among,
                double distance, const SeenFrom& from);
SplatMask shrunk(const SplatCloud& cloud, const SplatMask& selected, const SplatMask& among,
                 double distance, const SeenFrom& from);

}  // namespace mote
