#pragma once

#include "scene/camera_path.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Quantiles weighted by opacity over at most 2^17 evenly sampled splats. Returns the unit ball
/// around the origin where no splat is finite and visible.
SceneExtent scene_extent(const SplatCloud& cloud);

/// A view from just in front of the surface that the first orbit view sees in its middle. There,
/// few splats fill the frame, which is the worst case for the frame rate.
View closeup_view(const SplatCloud& cloud, const SceneExtent& extent, const OrbitOptions& options);

}  // namespace mote
