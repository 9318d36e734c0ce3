#pragma once

// Files whose times are shares of a duration that they do not name.

#include <cstdint>

#include "splats/splat_cloud.h"

namespace mote {

/// Turns shares of the duration, 0 to 1, into seconds: of one second, or of `frames` frames at 30 a
/// second, if there are at least 2. A warning says so. The splats get the simplest motion that they
/// have.
SplatCloud with_seconds(SplatCloud cloud, std::uint64_t frames = 0);

}  // namespace mote
