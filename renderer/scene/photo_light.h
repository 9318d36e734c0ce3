#pragma once

// Photographs between display values and linear light.

#include "scene/dataset.h"

namespace mote {

/// The photograph as pictures show it: linear light through the curve of sRGB, with values above 1
/// as 1, and straight alpha. Other photographs are copied.
PhotoPixels displayed(const PhotoPixels& photo);
/// The display-referred photograph as linear light.
PhotoPixels lit(const PhotoPixels& photo);

/// The image with 3 channels if no pixel is transparent.
ImageLight without_opaque_alpha(ImageLight image);
/// The image with 4 channels, all multiplied with the mask of the same size.
ImageLight cut_out(const ImageLight& image, const Image8& mask);

}  // namespace mote
