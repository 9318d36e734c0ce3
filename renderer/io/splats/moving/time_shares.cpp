#include "io/splats/moving/time_shares.h"

#include <fmt/format.h>

#include "splats/motion_changes.h"

namespace mote {

SplatCloud with_seconds(SplatCloud cloud, std::uint64_t frames) {
  constexpr double kFramesPerSecond = 30;
  cloud.times = {.duration_s = 1, .frames_per_second = 0};
  cloud = with_simplest_motion(std::move(cloud));
  if (!cloud.info().moves()) return cloud;
  if (frames > 1) {
    const auto steps = static_cast<double>(frames - 1);
    cloud.times.frames_per_second = steps;
    set_duration(cloud, steps / kFramesPerSecond);
  }
  cloud.warnings.push_back(
      fmt::format("its times are shares of a duration that it does not name, taken to be {:.4g} s; "
                  "mote convert --duration sets another",
                  cloud.times.duration_s));
  return cloud;
}

}  // namespace mote
