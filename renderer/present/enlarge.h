#pragma once

// Enlarges an image for a device that is the processor. shaders/display.frag reads sixteen texels
// per pixel; this filters by rows and columns instead.

#include "core/image.h"
#include "present/display_options.h"
#include "present/texels.h"

namespace mote::present {

/// Writes `color` ([h][w][3]) as opaque color8 of `width` x `height` pixels, at least its own size.
/// The result equals the display pass in a view of that size. `upscale` is smooth or sharp.
void write_enlarged(const Image& color, Upscale upscale, int width, int height,
                    const TexelRows& rows);

}  // namespace mote::present
