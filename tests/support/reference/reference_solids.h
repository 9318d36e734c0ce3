#pragma once

// Reference for solid splats in double precision: intersects each pixel's ray with every ellipsoid.

#include "reference_renderer.h"

namespace mote {

/// Renders the settings' shape, which must not be gaussian. `visible` counts the splats visible in
/// some pixel. Threshold pixels are near the rim of a visible splat, or have two front surfaces at
/// nearly the same depth.
ReferenceFrame render_reference_solids(const SplatCloud& cloud, const Camera& camera,
                                       const RenderSettings& settings);

}  // namespace mote
