#pragma once

#include "backend/backend.h"

namespace mote {

/// Renders a scene without splats: only background.
void render_nothing(const Camera& camera, const RenderSettings& settings, Frame& frame);

}  // namespace mote
