#pragma once

#include <cstdint>

#include "splats/splat_cloud.h"

namespace mote {

/// `count` splats of mixed size, shape and opacity in the unit cube around the origin.
SplatCloud random_cloud(std::size_t count, int sh_degree, std::uint32_t seed);

}  // namespace mote
