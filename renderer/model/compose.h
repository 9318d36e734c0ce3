#pragma once

#include <array>
#include <span>

#include "backend/backend.h"

namespace mote {

/// Composes pictures of the same view, each of another model, into `frame`: in each pixel the
/// models cover each other in the order of their expected depths, front to back. Models that
/// penetrate each other within a pixel are not interleaved, but for the parts that
/// Drawable::render_parts() divides them into. `layers`: colour over black, with alpha and both
/// depths; other images as in `frame`. Layers without images count as empty. `frame` has its images
/// already, see prepare_frame(): the median depth is that of the model in which the transmittance
/// crosses 1/2, overdraw and tile cost are sums. Returns the time, ms.
double compose_by_depth(std::span<const Frame> layers, const std::array<float, 3>& background,
                        Frame& frame);

}  // namespace mote
