#pragma once

#include <optional>

#include "io/fourdgs/states.h"

namespace mote::fourdgs {

/// Where a splat is at a moment, and how much of it is seen.
struct SeenSplat {
  std::array<float, 3> position{};
  std::array<float, 4> rotation{};  // x, y, z, w
  float opacity = 0;
};

/// The splat at a time, with the pose of its object. Empty where it is not seen.
std::optional<SeenSplat> seen_at(const File& file, const Splat& splat, double time_s);

}  // namespace mote::fourdgs
