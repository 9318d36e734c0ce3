#pragma once

// Enlarging an image on its way to a device that is the processor itself: what shaders/display.frag
// does there for sixteen texels a pixel, done here by rows and columns.

#include "core/image.h"
#include "present/display_options.h"
#include "present/texels.h"

namespace mote::present {

/// Writes `color` ([h][w][3]) as color8 of `width` x `height` pixels, no less than its own, opaque:
/// what the display pass shows of it in a view of that size. `upscale` is smooth or sharp.
void write_enlarged(const Image& color, Upscale upscale, int width, int height,
                    const TexelRows& rows);

}  // namespace mote::present
