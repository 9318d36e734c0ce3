#pragma once

#include "cameras/camera.h"
#include "cameras/lens.h"
#include "core/image.h"

namespace mote {

/// Two cameras at one place: the camera of a photograph with its lens, and the pinhole camera to
/// resample it for. Poses are ignored.
struct Rectification {
  Camera source;
  Lens lens;
  Camera target;
};

/// Whether source and target are the same pinhole camera. Pixels are then passed unchanged.
bool is_untouched(const Rectification& rectification);

/// Resamples the image for the target camera. Lens and size are changed in one step. Each pixel is
/// the mean of the image over the pixel's area. The image is interpolated bicubically
/// (Catmull-Rom), or linearly where it is reduced to a third or less. Values are averaged as
/// stored. With 4 channels of an Image8, colour is weighted with alpha. CHECKs that the image has
/// the size of the source camera and 1, 3 or 4 channels. For Image8 and ImageLight.
template <class T>
ImageOf<T> rectify(const ImageOf<T>& image, const Rectification& rectification);

/// The image at half size: means of 2x2 pixels, weighted with alpha where an Image8 has 4 channels.
/// An odd last row or column is left out. A side of 1 stays 1. For Image8 and ImageLight.
template <class T>
ImageOf<T> halved(const ImageOf<T>& image);

}  // namespace mote
