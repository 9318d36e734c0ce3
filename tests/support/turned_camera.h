#pragma once

// A camera for tests of gradients, in double.

#include <cmath>

#include "math/vector.h"
#include "pipeline/projection.h"

namespace mote {

/// A pinhole camera of kTurnedImage at 4 units from the origin, turned around it by an angle.
inline ViewCamera<double> turned_camera(double turn) {
  const double c = std::cos(turn), s = std::sin(turn);
  ViewCamera<double> camera{};
  camera.cam_from_world = {{c, 0, s}, {0.1 * s, 1, 0}, {-s, 0, c}};
  camera.translation = {0.1, -0.2, 4.0};
  camera.position_world = {-0.1, 0.2, -4.0};
  camera.pinhole = make_pinhole<double>(120.0, 110.0, 64.0, 48.0, 128.0, 96.0);
  return camera;
}

inline constexpr ImageBounds<double> kTurnedImage{128, 96};

}  // namespace mote
