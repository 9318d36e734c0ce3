#include "views.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "garden.h"

namespace mote::garden {
namespace {

/// The i-th van der Corput number; every stretch of the sequence fills 0 to 1 evenly.
double van_der_corput(int i, int base) {
  double value = 0, unit = 1;
  for (; i > 0; i /= base) {
    unit /= base;
    value += unit * (i % base);
  }
  return value;
}

}  // namespace

std::vector<View> make_views(int count, int width, int height) {
  constexpr double kTurn = std::numbers::pi * (3 - 2.2360679774997896);  // the golden angle
  constexpr double kFocal = 0.74;  // of the width, as for a phone and the Mip-NeRF 360 scenes
  std::vector<View> views;
  for (int i = 0; i < count; ++i) {
    const double distance = 2.1 + 1.7 * van_der_corput(i + 1, 2);
    const double up = 0.5 + 1.4 * van_der_corput(i + 1, 3);
    const double x = distance * std::cos(kTurn * i), y = distance * std::sin(kTurn * i);
    View view{fmt::format("view_{:04}", i), {}};
    view.camera.width = width;
    view.camera.height = height;
    view.camera.focal_px = glm::dvec2(kFocal * width);
    view.camera.center_px = {0.5 * width, 0.5 * height};
    look_at(view.camera, {x, -up, y}, {kMiddle.x, -kMiddle.z, kMiddle.y}, {0, -1, 0});
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace mote::garden
