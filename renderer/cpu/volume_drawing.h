#pragma once

// Pictures of volumes: rays are marched through the occupied part of the box.

#include "cpu/plain_drawing.h"

namespace mote {

/// Renders the volume as DeviceField::render_parts() does. Its light is composited as linear
/// radiance, and then shown by the curve of sRGB over the background.
void draw_volume(const DrawnPlain& drawn, const PictureRequest& picture, FrameStats& stats);

}  // namespace mote
