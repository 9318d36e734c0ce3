#pragma once

#include <array>

#include "core/image.h"
#include "scene/dataset.h"

namespace mote {

/// A photograph as renderings are compared with it: [h][w][3] over the background, 0 to 1, and its
/// mask, [h][w], 0 to 1, empty where it has none.
struct PhotoFloats {
  Image color, mask;
};

PhotoFloats photo_floats(const PhotoPixels& photo, const std::array<float, 3>& background);

}  // namespace mote
