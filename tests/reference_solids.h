#pragma once

// Solid splats once more, in double precision: each pixel's ray is cut with every ellipsoid.

#include "reference_renderer.h"

namespace mote {

/// As the settings' shape, which is not gaussian. `visible` counts splats that some pixel shows.
/// At thresholds are pixels near the rim of what they might show, or with two surfaces at nearly
/// the same depth in front.
ReferenceFrame render_reference_solids(const SplatCloud& cloud, const Camera& camera,
                                       const RenderSettings& settings);

}  // namespace mote
