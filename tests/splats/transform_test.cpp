// Moving, turning and resizing a scene.
#include "splats/transform.h"
#include "scene/similarity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <limits>
#include <numbers>

#include "core/random.h"
#include "math/sh_rotation.h"
#include "math/spherical_harmonics.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

glm::dmat3 random_rotation(Random& random) {
  const glm::dquat q(random.normal(), random.normal(), random.normal(), random.normal());
  return glm::mat3_cast(glm::normalize(q));
}

glm::dvec3 random_direction(Random& random) {
  return glm::normalize(glm::dvec3(random.normal(), random.normal(), random.normal()));
}

/// The colour sum of one channel in direction `d`, without offset and clamp.
double sh_sum(const SplatCloud& cloud, std::size_t splat, int channel, const glm::dvec3& d) {
  double basis[25];
  sh_basis<4>(Vec3<double>{d.x, d.y, d.z}, basis);
  double sum = 0;
  for (int k = 0; k < cloud.sh_coefficients(); ++k) sum += basis[k] * cloud.sh(splat, k, channel);
  return sum;
}

glm::dvec3 mean_of_splat(const SplatCloud& cloud, std::size_t i) {
  return {cloud.at(i, Field::mean_x), cloud.at(i, Field::mean_y), cloud.at(i, Field::mean_z)};
}

glm::dmat3 covariance_of(const SplatCloud& cloud, std::size_t i) {
  const glm::dquat q(cloud.at(i, Field::rotation_w), cloud.at(i, Field::rotation_x),
                     cloud.at(i, Field::rotation_y), cloud.at(i, Field::rotation_z));
  glm::dmat3 axes = glm::mat3_cast(glm::normalize(q));
  axes[0] *= std::exp(static_cast<double>(cloud.at(i, Field::log_scale_x)));
  axes[1] *= std::exp(static_cast<double>(cloud.at(i, Field::log_scale_y)));
  axes[2] *= std::exp(static_cast<double>(cloud.at(i, Field::log_scale_z)));
  return axes * glm::transpose(axes);
}

TEST(Transform, FindsTheAnglesOfARotation) {
  for (const glm::dvec3& angles : {glm::dvec3(0.3, -1.2, 2.5), glm::dvec3(-3, 1.5, -0.1),
                                   glm::dvec3(0), glm::dvec3(0.4, 0, 0)}) {
    EXPECT_LT(glm::length(angles_about_axes(rotation_about_axes(angles)) - angles), 1e-12);
  }
  // Upright about y, the split between x and z is ambiguous, but the rotation is the same.
  for (const double upright : {1.5707963267948966, -1.5707963267948966}) {
    const glm::dmat3 rotation = rotation_about_axes({0.7, upright, 0.2});
    const glm::dmat3 again = rotation_about_axes(angles_about_axes(rotation));
    for (int i = 0; i < 3; ++i) EXPECT_LT(glm::length(rotation[i] - again[i]), 1e-7);
  }
}

TEST(ShRotation, ARotatedFunctionHasItsOldValueInTheRotatedDirection) {
  Random random(1);
  for (int degree = 0; degree <= 4; ++degree) {
    const int count = (degree + 1) * (degree + 1);
    for (int trial = 0; trial < 20; ++trial) {
      const glm::dmat3 rotation = random_rotation(random);
      float before[25] = {}, after[25] = {};
      for (int k = 0; k < count; ++k) after[k] = before[k] = static_cast<float>(random.normal());
      ShRotation(rotation, degree).apply(after, 1, 1);
      const glm::dvec3 d = random_direction(random), turned = rotation * d;
      double basis[25], turned_basis[25];
      sh_basis<4>(Vec3<double>{d.x, d.y, d.z}, basis);
      sh_basis<4>(Vec3<double>{turned.x, turned.y, turned.z}, turned_basis);
      double expected = 0, found = 0;
      for (int k = 0; k < count; ++k) {
        expected += basis[k] * before[k];
        found += turned_basis[k] * after[k];
      }
      EXPECT_NEAR(found, expected, 5e-6) << "degree " << degree;
    }
  }
}

TEST(ShRotation, AQuarterTurnAboutZMovesXOntoY) {
  // Band 1 stands for -y, z, -x: a dependence on x becomes one on y.
  float band[4] = {0, 0, 0, 1};
  ShRotation(rotation_about_axes({0, 0, std::numbers::pi / 2}), 1).apply(band, 1, 1);
  EXPECT_NEAR(band[1], 1, 1e-6);
  EXPECT_NEAR(band[2], 0, 1e-6);
  EXPECT_NEAR(band[3], 0, 1e-6);
}

TEST(Transform, PositionsShapesAndColoursAreTransformedTogether) {
  Random random(2);
  for (int degree = 0; degree <= kMaxShDegree; ++degree) {
    const Similarity similarity{
        .scale = 2.5, .rotation = random_rotation(random), .translation = {3, -4, 5}};
    const SplatCloud before = random_cloud(37, degree, 3);
    SplatCloud after = random_cloud(37, degree, 3);
    transform(after, similarity);
    for (std::size_t i = 0; i < before.count(); ++i) {
      const glm::dvec3 expected =
          2.5 * (similarity.rotation * mean_of_splat(before, i)) + similarity.translation;
      EXPECT_LT(glm::distance(mean_of_splat(after, i), expected), 1e-5);

      const glm::dmat3 shape = covariance_of(before, i);
      const glm::dmat3 turned =
          similarity.rotation * shape * glm::transpose(similarity.rotation) * (2.5 * 2.5);
      for (int c = 0; c < 3; ++c) {
        EXPECT_LT(
            glm::distance(covariance_of(after, i)[c], turned[c]),
            1e-5 * (glm::length(turned[0]) + glm::length(turned[1]) + glm::length(turned[2])));
      }
      const glm::dvec3 d = random_direction(random);
      for (int channel = 0; channel < 3; ++channel) {
        EXPECT_NEAR(sh_sum(after, i, channel, similarity.rotation * d),
                    sh_sum(before, i, channel, d), 1e-5);
      }
      EXPECT_EQ(after.at(i, Field::logit_opacity), before.at(i, Field::logit_opacity));
    }
  }
}

TEST(Transform, TheIdentityChangesNoBit) {
  const SplatCloud before = random_cloud(33, 3, 4);
  SplatCloud after = random_cloud(33, 3, 4);
  transform(after, {});
  for (std::size_t b = 0; b < before.block_count(); ++b) {
    EXPECT_EQ(std::memcmp(after.geometry_block(b), before.geometry_block(b),
                          kGaussianFields * kBlockSize * sizeof(float)),
              0);
    EXPECT_EQ(
        std::memcmp(after.sh_block(b), before.sh_block(b), sizeof(float) * 16 * 3 * kBlockSize), 0);
  }
}

TEST(Transform, AnglesTurnAboutXThenYThenZ) {
  const double quarter = std::numbers::pi / 2;
  const glm::dvec3 y = rotation_about_axes({quarter, 0, 0}) * glm::dvec3(0, 1, 0);
  EXPECT_LT(glm::distance(y, glm::dvec3(0, 0, 1)), 1e-12);
  // About x, y turns to z; about y, z then turns to x.
  const glm::dvec3 twice = rotation_about_axes({quarter, quarter, 0}) * glm::dvec3(0, 1, 0);
  EXPECT_LT(glm::distance(twice, glm::dvec3(1, 0, 0)), 1e-12);
}

TEST(Transform, ATransformedCameraSeesTheSamePixelsWithScaledDepths) {
  Random random(11);
  const Similarity similarity{
      .scale = 2.5, .rotation = random_rotation(random), .translation = {4, -3, 2}};
  Camera camera;
  camera.focal_px = {300, 310};
  camera.center_px = {160, 120};
  look_at(camera, {1, 2, -9}, {3, -2, 1}, {0, -1, 0});
  const Camera before = camera_before(similarity, camera);
  SplatCloud cloud = random_cloud(50, 0, 12), moved = random_cloud(50, 0, 12);
  transform(moved, similarity);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const glm::dvec3 seen = before.cam_from_world * mean_of_splat(cloud, i) + before.translation;
    const glm::dvec3 expected =
        camera.cam_from_world * mean_of_splat(moved, i) + camera.translation;
    EXPECT_LT(glm::distance(2.5 * seen, expected), 1e-5);
  }
  EXPECT_LT(
      glm::distance(2.5 * (similarity.rotation * before.position_world()) + similarity.translation,
                    camera.position_world()),
      1e-9);
}

TEST(Transform, DamagedSplatsDoNotSpreadToOthers) {
  SplatCloud damaged = random_cloud(20, 1, 5), sound = random_cloud(20, 1, 5);
  damaged.at(3, Field::mean_x) = std::numeric_limits<float>::quiet_NaN();
  damaged.at(3, Field::rotation_w) = std::numeric_limits<float>::infinity();
  damaged.sh(3, 2, 0) = std::numeric_limits<float>::quiet_NaN();
  const Similarity similarity{.rotation = rotation_about_axes({1, 2, 3}), .translation = {1, 1, 1}};
  transform(damaged, similarity);
  transform(sound, similarity);
  for (std::size_t i = 0; i < sound.count(); ++i) {
    if (i == 3) continue;
    EXPECT_EQ(mean_of_splat(damaged, i), mean_of_splat(sound, i));
    for (int k = 0; k < 4; ++k) EXPECT_EQ(damaged.sh(i, k, 0), sound.sh(i, k, 0));
  }
}

TEST(Transform, SplatsBeyondTheRangeOrPrecisionOfFloatsAreCounted) {
  SplatCloud cloud = random_cloud(10, 0, 3);
  EXPECT_EQ(find_float_limits(cloud).infinite, 0u);
  EXPECT_EQ(find_float_limits(cloud).coarse, 0u);
  SplatCloud far = random_cloud(10, 0, 3);
  transform(far, {.translation = {1e9, 0, 0}});
  EXPECT_EQ(find_float_limits(far).infinite, 0u);
  EXPECT_EQ(find_float_limits(far).coarse, 10u);
  transform(cloud, {.translation = {0, 1e308, 0}});
  EXPECT_EQ(find_float_limits(cloud).infinite, 10u);
  EXPECT_EQ(find_float_limits(cloud).coarse, 0u);
}

TEST(Transform, TheInverseGivesPointsBack) {
  const Similarity similarity{
      .scale = 2.5, .rotation = rotation_about_axes({0.3, -1, 2}), .translation = {1, -2, 3}};
  const Similarity both = chained(similarity, inverse(similarity));
  EXPECT_NEAR(both.scale, 1, 1e-12);
  EXPECT_LT(glm::length(both.translation), 1e-12);
  EXPECT_LT(glm::length(both.rotation[0] - glm::dvec3(1, 0, 0)), 1e-12);
  EXPECT_LT(glm::length(both.rotation[1] - glm::dvec3(0, 1, 0)), 1e-12);
}

}  // namespace
}  // namespace mote
