// Lookups in sparse volumes against plain interpolation.
#include "volumes/density_volume.h"

#include <gtest/gtest.h>

#include <glm/common.hpp>
#include <glm/geometric.hpp>
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

TEST(DensityVolume, BoundsTheDensitiesAlongARay) {
  const DensityVolume volume = volume_of({}, pattern);
  std::mt19937 random(4);
  std::uniform_real_distribution<float> number(-22, 22);
  int filled = 0, below = 0;
  for (int i = 0; i < 2000; ++i) {
    const glm::vec3 origin(number(random), number(random), number(random));
    glm::vec3 direction(number(random), number(random), number(random));
    if (i % 4 == 0) direction.x = 0;
    if (i % 8 == 0) direction.z = 0;
    direction = glm::normalize(direction);
    const auto largest_at = [&](float distance) {
      float found = 0;
      volume.for_bricks_along(origin, direction, 0, 60, [&](float begin, float end, float largest) {
        if (begin <= distance && distance <= end) found = std::max(found, largest);
        return end < distance;
      });
      return found;
    };
    float last = 0;
    volume.for_bricks_along(origin, direction, 0, 60, [&](float begin, float end, float largest) {
      EXPECT_LE(last, begin);
      EXPECT_LE(begin, end);
      EXPECT_LE(end, 60);
      below += largest < volume.largest() ? 1 : 0;
      last = end;
      return true;
    });
    for (float distance = 0.05f; distance < 40; distance += 0.7f) {
      const float density = volume.density(origin + distance * direction);
      ASSERT_LE(density, largest_at(distance) * 1.0001f + 1e-4f) << i << ' ' << distance;
      filled += density > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(filled, 1000);
  EXPECT_GT(below, 20);
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

TEST(DensityVolume, RefusesASpanWhoseTableIsTooLarge) {
  DensityVolume::Brick brick{};
  brick.fill(1);
  const auto finish = [&](int last) {
    DensityVolume::Builder builder;
    builder.add({0, 0, 0}, brick);
    builder.add({last, last, 0}, brick);
    return builder.finish({}, "a");
  };
  EXPECT_EQ(finish(2000).last_voxel(), glm::ivec3(16007, 16007, 7));
  EXPECT_NE(thrown_by([&] { finish(3000); }).problem().find("24008x24008x8"), std::string::npos);
}

TEST(DensityVolume, HasAFingerprintOfItsContent) {
  const auto fingerprint = [](float most) { return ball_volume(6, most).fingerprint(); };
  EXPECT_EQ(fingerprint(0.5f), fingerprint(0.5f));
  EXPECT_NE(fingerprint(0.5f), fingerprint(0.6f));
}

}  // namespace
}  // namespace mote
