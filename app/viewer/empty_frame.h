#pragma once

#include "backend/backend.h"

namespace mote {

/// What a backend renders of a scene without splats: nothing but background.
void render_nothing(const Camera& camera, const RenderSettings& settings, Frame& frame);

}  // namespace mote
