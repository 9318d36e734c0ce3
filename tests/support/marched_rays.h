#pragma once

// Rays through random occupancy grids, for tests of marching.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "fields/marching.h"

namespace mote {

using Point = std::array<double, 3>;

struct Ray {
  Vec3<float> origin, direction;
  float jitter;
};

/// Balls of occupied cells, and single cells, in each cascade.
inline OccupancyBits random_bits_of(int cascades, std::uint32_t seed) {
  std::mt19937 random(seed);
  OccupancyDensities densities{cascades, {}};
  densities.values.assign(static_cast<std::size_t>(cascades) * kOccupancyCells, 0.0f);
  for (std::size_t i = 0; i < densities.values.size(); ++i) {
    if (random() % 200 == 0 && i / 65536 % 2 == 0) densities.values[i] = 1;
  }
  for (int cascade = 0; cascade < cascades; ++cascade) {
    for (int ball = 0; ball < 6; ++ball) {
      std::array<int, 3> center{};
      for (int& x : center) x = static_cast<int>(random() % 128);
      const int radius = 2 + static_cast<int>(random() % 12);
      for (std::uint32_t i = 0; i < kOccupancyCells; ++i) {
        const OccupancyCell cell = cell_of(i);
        const int x = static_cast<int>(cell.x) - center[0],
                  y = static_cast<int>(cell.y) - center[1],
                  z = static_cast<int>(cell.z) - center[2];
        if (x * x + y * y + z * z > radius * radius) continue;
        densities.values[static_cast<std::size_t>(cascade) * kOccupancyCells + i] = 1;
      }
    }
  }
  return OccupancyBits(densities);
}

inline OccupancyBits all_occupied(int cascades) {
  return OccupancyBits(OccupancyDensities{
      cascades, std::vector<float>(static_cast<std::size_t>(cascades) * kOccupancyCells, 1.0f)});
}

/// All samples of a ray, found at once.
inline std::vector<RaySample> march_all(const OccupancyBits& bits, const MarchSettings& settings,
                                        const Ray& ray) {
  std::vector<RaySample> samples(kMostRaySamples + 1);
  RayMarch march_of = begin_march(settings, ray.origin, ray.direction, ray.jitter);
  const int count =
      march(bits, settings, march_of, {static_cast<int>(samples.size())}, samples.data());
  EXPECT_TRUE(march_of.done());
  samples.resize(static_cast<std::size_t>(count));
  return samples;
}

/// A ray that crosses a cube of this side around (0.5, 0.5, 0.5).
inline Ray random_ray(std::mt19937& random, double side) {
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  Ray ray{};
  Point target{}, from{};
  double length = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    from[axis] = 0.5 + side * (uniform() - 0.5) * 1.6;
    target[axis] = 0.5 + side * (uniform() - 0.5) * 0.8;
    length += (target[axis] - from[axis]) * (target[axis] - from[axis]);
  }
  length = std::sqrt(length);
  const auto component = [&](std::size_t axis) {
    return static_cast<float>((target[axis] - from[axis]) / length);
  };
  ray.origin = {static_cast<float>(from[0]), static_cast<float>(from[1]),
                static_cast<float>(from[2])};
  ray.direction = {component(0), component(1), component(2)};
  ray.jitter = static_cast<float>(uniform());
  return ray;
}

}  // namespace mote
