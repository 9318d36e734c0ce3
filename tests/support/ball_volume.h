#pragma once

// A ball of fog with soft sides, for tests.

#include <algorithm>
#include <cmath>

#include "volumes/density_volume.h"

namespace mote {

/// Calls add(voxel, density) for a ball of `radius` voxels around (1, -2, 3): `most` inside, and
/// linear to 0 over its outer half.
template <class Add>
void for_ball(int radius, float most, const Add& add) {
  for (int z = -radius; z <= radius; ++z) {
    for (int y = -radius; y <= radius; ++y) {
      for (int x = -radius; x <= radius; ++x) {
        const double way = std::sqrt(double(x * x + y * y + z * z)) / radius;
        const auto density = static_cast<float>(most * std::clamp(2 * (1 - way), 0.0, 1.0));
        if (density > 0) add(glm::ivec3(x + 1, y - 2, z + 3), density);
      }
    }
  }
}

/// A volume of voxels from a function of their indices, all within +-40.
template <class Density>
DensityVolume volume_of(const VoxelFrame& frame, const Density& density) {
  constexpr int kSide = DensityVolume::kBrickSide, kReach = 5;
  DensityVolume::Builder builder;
  for (int b = 0; b < 8 * kReach * kReach * kReach; ++b) {
    const glm::ivec3 place =
        glm::ivec3(b % (2 * kReach), b / (2 * kReach) % (2 * kReach), b / (4 * kReach * kReach)) -
        kReach;
    DensityVolume::Brick brick{};
    bool is_empty = true;
    for (int i = 0; i < 512; ++i) {
      const glm::ivec3 own(i % kSide, i / kSide % kSide, i / (kSide * kSide));
      const float value = density(kSide * place + own);
      brick[static_cast<std::size_t>(i)] = value;
      is_empty = is_empty && value == 0;
    }
    if (!is_empty) builder.add(place, brick);
  }
  return builder.finish(frame, "test");
}

/// for_ball() as a volume.
inline DensityVolume ball_volume(int radius, float most) {
  return volume_of({.voxel_side = 0.25, .origin = {3, -1, 2}}, [&](const glm::ivec3& voxel) {
    const glm::ivec3 p = voxel - glm::ivec3(1, -2, 3);
    const double way = std::sqrt(double(p.x * p.x + p.y * p.y + p.z * p.z)) / radius;
    return static_cast<float>(most * std::clamp(2 * (1 - way), 0.0, 1.0));
  });
}

}  // namespace mote
