#pragma once

#include <cstdint>

#include "splats/splat_cloud.h"

namespace mote {

/// `count` splats of mixed size, shape and opacity in the unit cube around the origin.
SplatCloud random_cloud(std::size_t count, int sh_degree, std::uint32_t seed);

/// The same with lives and velocities, in a scene of 2 s at 30 frames per second. About a third of
/// them live at any time.
SplatCloud random_moving_cloud(std::size_t count, int sh_degree, std::uint32_t seed,
                               SplatMotion motion = SplatMotion::life);

/// The same with directions (SplatMotion::conditional).
SplatCloud random_directional_cloud(std::size_t count, int sh_degree, std::uint32_t seed);

inline SplatCloud copy_of(const SplatCloud& cloud) {
  return with_sh_degree(cloud, cloud.sh_degree());
}

}  // namespace mote
