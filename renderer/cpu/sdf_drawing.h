#pragma once

// Pictures of signed distance fields by sphere tracing (J. Hart 1996, "Sphere tracing: a geometric
// method for the antialiased ray tracing of implicit surfaces").

#include "cpu/plain_drawing.h"

namespace mote {

/// Renders the surface as DeviceField::render() does, lit from the sky and by the sun. Pixels are
/// covered or not. Normals are unit vectors towards the camera, in its frame.
void draw_sdf(const DrawnPlain& drawn, const Camera& camera, const RenderSettings& settings,
              Frame& frame, FrameStats& stats);

}  // namespace mote
