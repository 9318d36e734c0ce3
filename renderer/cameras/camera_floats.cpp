#include "cameras/camera_floats.h"

#include "cameras/camera.h"

namespace mote {

CameraFloats camera_floats(const Camera& camera) {
  CameraFloats c{};
  const glm::dvec3 position = camera.position_world();
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      c.cam_from_world[row * 3 + column] = static_cast<float>(camera.cam_from_world[column][row]);
    }
    c.translation[row] = static_cast<float>(camera.translation[row]);
    c.position_world[row] = static_cast<float>(position[row]);
  }
  c.focal_x = static_cast<float>(camera.focal_px.x);
  c.focal_y = static_cast<float>(camera.focal_px.y);
  c.center_x = static_cast<float>(camera.center_px.x);
  c.center_y = static_cast<float>(camera.center_px.y);
  c.width = static_cast<float>(camera.width);
  c.height = static_cast<float>(camera.height);
  c.scale = 1;
  return c;
}

}  // namespace mote
