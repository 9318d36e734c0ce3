#pragma once

#include "cameras/camera.h"
#include "cameras/lens.h"
#include "core/image.h"

namespace mote {

/// Two cameras at one place: a photograph taken through a lens, and the pinhole that it is wanted
/// from. Poses are of no interest.
struct Rectification {
  Camera source;
  Lens lens;
  Camera target;
};

/// Whether source and target are the same pinhole, so that pixels pass untouched.
bool is_untouched(const Rectification& rectification);

/// The image as the target camera sees it, lens and size changed in one step: each pixel is the
/// mean over its area of the image, which is interpolated bicubically (Catmull-Rom) or, where it
/// is reduced to a third or less, linearly. Values are averaged as they are (display-referred);
/// colour is weighted with alpha where there are 4 channels. CHECKs that the image has the size of
/// the source camera and 1, 3 or 4 channels.
Image8 rectify(const Image8& image, const Rectification& rectification);

/// Half the image: means of 2x2 pixels, weighted with alpha where there are 4 channels. An odd last
/// row or column is left out; a side of 1 stays.
Image8 halved(const Image8& image);

}  // namespace mote
