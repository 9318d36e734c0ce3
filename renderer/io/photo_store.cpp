#include "io/photo_store.h"

#include <algorithm>

namespace mote {

Camera camera_at_level(const Camera& camera, int level) {
  Camera halved = camera;
  for (int i = 0; i < level; ++i) {
    // An odd last row or column is dropped, so pixels are exactly twice as large.
    halved.width = std::max(halved.width / 2, 1);
    halved.height = std::max(halved.height / 2, 1);
    halved.focal_px *= 0.5;
    halved.center_px *= 0.5;
  }
  return halved;
}

}  // namespace mote
