// The cloud: its size, its flat base, its densities, and the same shape for any resolution.
#include "synth/cloud.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/common.hpp>
#include <map>
#include <utility>

#include "core/parallel.h"

namespace mote::synth {
namespace {

constexpr std::uint32_t kSeeds[] = {42, 7, 0xffffffff};

DensityVolume cloud_of(int voxels, std::uint32_t seed, int threads = 2) {
  ThreadPool pool(threads);
  return make_cloud({.voxels = voxels, .seed = seed}, pool, [](double) {});
}

/// For all densities, in the volume of the world.
double mass_of(const DensityVolume& cloud) {
  double sum = 0;
  cloud.for_voxels([&](const glm::ivec3&, float density) { sum += double{density}; });
  return sum * std::pow(cloud.frame().voxel_side, 3);
}

TEST(Cloud, HasDensitiesUpToOneAndItsLengthInVoxels) {
  for (const std::uint32_t seed : kSeeds) {
    for (const int voxels : {16, 64}) {
      SCOPED_TRACE(testing::Message() << seed << " " << voxels);
      const DensityVolume cloud = cloud_of(voxels, seed);
      EXPECT_DOUBLE_EQ(cloud.frame().voxel_side, static_cast<double>(2.0f / float(voxels)));
      const glm::ivec3 size = cloud.last_voxel() - cloud.first_voxel() + 1;
      EXPECT_LE(size.x, voxels);
      EXPECT_GE(size.x, 3 * voxels / 4);
      EXPECT_LT(std::max(size.y, size.z), size.x);
      EXPECT_GE(std::min(size.y, size.z), voxels / 4);
      EXPECT_LE(cloud.largest(), 1);
      EXPECT_GT(cloud.largest(), 0.5f);
      cloud.for_voxels([](const glm::ivec3&, float density) { ASSERT_LE(density, 1); });
    }
  }
}

TEST(Cloud, StandsOnAFlatBaseAndIsNotCutElsewhere) {
  for (const std::uint32_t seed : kSeeds) {
    SCOPED_TRACE(seed);
    const DensityVolume cloud = cloud_of(64, seed);
    const auto side = static_cast<float>(cloud.frame().voxel_side);
    const glm::vec3 low = side * glm::vec3(cloud.first_voxel());
    const glm::vec3 high = side * glm::vec3(cloud.last_voxel());
    EXPECT_LE(high.y, 0.3f);  // y points down
    EXPECT_GT(high.y, 0.2f);
    EXPECT_GT(low.y, -0.8f + side);
    EXPECT_LT(std::max(-low.x, high.x), 1 - side);
    EXPECT_LT(std::max(-low.z, high.z), 0.75f - side);
    // Most of its columns end near the base.
    std::map<std::pair<int, int>, int> lowest;
    cloud.for_voxels([&](const glm::ivec3& at, float) {
      int& y = lowest.try_emplace({at.x, at.z}, at.y).first->second;
      y = std::max(y, at.y);
    });
    const auto near_base = std::ranges::count_if(lowest, [&](const auto& column) {
      return side * static_cast<float>(column.second) > 0.15f;
    });
    EXPECT_GT(near_base, std::ssize(lowest) / 2);
  }
}

TEST(Cloud, HasTheSameShapeAtAnyResolution) {
  const DensityVolume coarse = cloud_of(64, 42), fine = cloud_of(128, 42);
  EXPECT_NEAR(mass_of(coarse), mass_of(fine), 0.02 * mass_of(fine));
  // Voxels of the coarse one are voxels of the fine one.
  std::size_t voxels = 0;
  coarse.for_voxels([&](const glm::ivec3& at, float density) {
    ASSERT_FLOAT_EQ(fine.density(glm::vec3(2 * at)), density);
    ++voxels;
  });
  EXPECT_GT(voxels, 10'000u);
}

TEST(Cloud, HasAnotherShapeWithAnotherSeedAndTheSameOnAnyNumberOfThreads) {
  const std::uint64_t cloud = cloud_of(32, 7).fingerprint();
  EXPECT_EQ(cloud, cloud_of(32, 7, 1).fingerprint());
  EXPECT_EQ(cloud, cloud_of(32, 7, 3).fingerprint());
  EXPECT_NE(cloud, cloud_of(32, 8).fingerprint());
}

}  // namespace
}  // namespace mote::synth
