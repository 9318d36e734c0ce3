// Lookups in sparse volumes against plain interpolation.
#include "volumes/density_volume.h"

#include <gtest/gtest.h>

#include <glm/common.hpp>
#include <random>

#include "support/ball_volume.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

/// A pattern that is not zero in two separate blocks and on borders of bricks.
float pattern(const glm::ivec3& v) {
  const auto within = [&](int low, int high) {
    return std::min({v.x, v.y, v.z}) >= low && std::max({v.x, v.y, v.z}) <= high;
  };
  if (!within(-17, -8) && !within(7, 16)) return 0;
  return 0.1f + static_cast<float>((v.x * 7 + v.y * 13 + v.z * 29 + 9000) % 31) * 0.03f;
}

double interpolated(const glm::dvec3& p) {
  const glm::dvec3 low = glm::floor(p), share = p - low;
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const glm::ivec3 at(corner & 1, corner >> 1 & 1, corner >> 2);
    double weight = 1;
    for (int axis = 0; axis < 3; ++axis) weight *= at[axis] == 1 ? share[axis] : 1 - share[axis];
    sum += weight * static_cast<double>(pattern(glm::ivec3(low) + at));
  }
  return sum;
}

TEST(DensityVolume, InterpolatesBetweenVoxelsOfAllBricks) {
  const DensityVolume volume = volume_of({}, pattern);
  EXPECT_EQ(volume.first_voxel(), glm::ivec3(-17));
  EXPECT_EQ(volume.last_voxel(), glm::ivec3(16));
  std::mt19937 random(3);
  std::uniform_real_distribution<float> place(-22, 22);
  int filled = 0;
  for (int i = 0; i < 200000; ++i) {
    const glm::vec3 p(place(random), place(random), place(random));
    const double wanted = interpolated(glm::dvec3(p));
    ASSERT_NEAR(volume.density(p), wanted, 1e-5) << p.x << ' ' << p.y << ' ' << p.z;
    ASSERT_LE(volume.density(p), volume.largest());
    filled += wanted > 0 ? 1 : 0;
  }
  EXPECT_GT(filled, 2000);
  EXPECT_EQ(volume.density(glm::vec3(8)), pattern(glm::ivec3(8)));
  EXPECT_EQ(volume.density(glm::vec3(1e30f)), 0);
  EXPECT_EQ(volume.density(glm::vec3(std::nanf(""))), 0);
}

TEST(DensityVolume, VisitsEachVoxelOnce) {
  const DensityVolume volume = volume_of({}, pattern);
  std::size_t count = 0;
  volume.for_voxels([&](const glm::ivec3& voxel, float density) {
    ASSERT_EQ(density, pattern(voxel));
    ++count;
  });
  EXPECT_EQ(count, 2000u);
}

TEST(DensityVolume, RefusesEmptyAndHugeVolumes) {
  DensityVolume::Builder builder;
  EXPECT_EQ(thrown_by([&] { builder.finish({}, "a.nvdb"); }).where(), "a.nvdb");
  DensityVolume::Brick brick{};
  builder.add({0, 0, 0}, brick);
  EXPECT_NE(thrown_by([&] { builder.finish({}, "a"); }).problem().find("above 0"),
            std::string::npos);
  brick[3] = 1;
  builder.add({-60000000, 0, 0}, brick);
  builder.add({60000000, 60000000, 0}, brick);
  EXPECT_NE(thrown_by([&] { builder.finish({}, "a"); }).problem().find("960000001"),
            std::string::npos);
}

TEST(DensityVolume, HasAFingerprintOfItsContent) {
  const auto fingerprint = [](float most) { return ball_volume(6, most).fingerprint(); };
  EXPECT_EQ(fingerprint(0.5f), fingerprint(0.5f));
  EXPECT_NE(fingerprint(0.5f), fingerprint(0.6f));
}

}  // namespace
}  // namespace mote
