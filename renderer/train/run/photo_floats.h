#pragma once

#include <array>

#include "core/image.h"
#include "scene/dataset.h"

namespace mote {

/// A photograph for comparison with renderings: colour [h][w][3], 0 to 1, composed over the
/// background; mask [h][w], 0 to 1, empty where there is none.
struct PhotoFloats {
  Image color, mask;
};

PhotoFloats photo_floats(const PhotoPixels& photo, const std::array<float, 3>& background);

}  // namespace mote
