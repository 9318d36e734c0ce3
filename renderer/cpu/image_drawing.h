#pragma once

// Pictures of neural images. The image stands in the plane z = 0 of the world around the origin,
// with height 1; x is to its right and y points down.

#include "cpu/plain_drawing.h"

namespace mote {

/// Renders the image as DeviceField::render() does. Pixels beside the image are background.
void draw_image(const DrawnPlain& drawn, const Camera& camera, const RenderSettings& settings,
                Frame& frame, FrameStats& stats);

}  // namespace mote
