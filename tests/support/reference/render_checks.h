#pragma once

// Rendering in tests, and comparison with the double-precision reference.

#include "backend/backend.h"

namespace mote {

/// An oblique camera at `distance` from the origin that looks at it.
Camera camera_at(double distance, int width, int height);

/// Uploads a copy of the cloud and renders it.
Frame render(Backend& backend, const SplatCloud& cloud, const Camera& camera,
             const RenderSettings& settings, FrameStats* stats = nullptr);

/// Compares with the reference. Away from thresholds, expects colour, alpha and median depth within
/// 1e-4, expected depth within 1e-3, and equal overdraw. At thresholds, expects few different
/// pixels.
void expect_matches(Backend& backend, const SplatCloud& cloud, const Camera& camera,
                    RenderSettings settings);

}  // namespace mote
