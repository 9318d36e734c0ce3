#pragma once

// Rendering in tests, and how close it must come to the double-precision reference.

#include "backend/backend.h"

namespace mote {

/// A camera at `distance` from the origin, aslant, that looks at it.
Camera camera_at(double distance, int width, int height);

/// Uploads a copy of the cloud and renders it.
Frame render(Backend& backend, const SplatCloud& cloud, const Camera& camera,
             const RenderSettings& settings, FrameStats* stats = nullptr);

/// Expects colour, alpha and both depths within 1e-4 (expected depth 1e-3) of the reference away
/// from thresholds, overdraw equal there, and few pixels to differ at them.
void expect_matches(Backend& backend, const SplatCloud& cloud, const Camera& camera,
                    RenderSettings settings);

}  // namespace mote
