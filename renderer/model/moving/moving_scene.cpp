#include "model/moving/moving_scene.h"

#include <algorithm>
#include <cmath>

namespace mote {

std::size_t frame_count(const MovingScene& scene) {
  return static_cast<std::size_t>(std::lround(scene.range().period_s * scene.frames_per_second()));
}

std::size_t frame_at(const MovingScene& scene, double time_s) {
  const std::size_t count = frame_count(scene);
  if (count == 0) return 0;
  // At a frame's own time, rounding must not select the frame before.
  constexpr double kRounding = 1e-6;
  const double place = std::floor(time_s * scene.frames_per_second() + kRounding);
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(count - 1)));
}

}  // namespace mote
