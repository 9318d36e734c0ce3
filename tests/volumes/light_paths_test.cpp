// Delta tracking against cases with a known result.
#include "volumes/light_paths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>

#include "support/ball_volume.h"

namespace mote {
namespace {

constexpr float kDensity = 0.5f, kExtinction = 0.12f;  // per density and voxel

/// A block of one density from voxel -20 to 20; it fades over a voxel at its sides.
DensityVolume block() {
  return volume_of({}, [](const glm::ivec3& v) {
    const glm::ivec3 far = glm::abs(v);
    return std::max({far.x, far.y, far.z}) <= 20 ? kDensity : 0.0f;
  });
}

/// A constant sky without a sun.
VolumeLight constant_sky(float albedo) {
  VolumeLight light;
  light.sun = {0, 0, 0};
  light.zenith = light.nadir = {0.25f, 0.5f, 1};
  light.albedo = albedo;
  return light;
}

TEST(LightPaths, PassAHomogeneousBlockAsOftenAsTheExponentialSays) {
  const DensityVolume volume = block();
  const LightPaths paths(volume, kExtinction, constant_sky(1));
  const double wanted =
      std::exp(-double{kExtinction} * double{kDensity} * 41);  // 40 and two halves
  constexpr int kPaths = 200000;
  int passed = 0;
  double ratio = 0, depth = 0;
  for (int i = 0; i < kPaths; ++i) {
    PathRandom random(1, static_cast<std::uint64_t>(i));
    const glm::vec3 start(0.3f, -7.1f, -100);
    glm::vec3 at = start;
    if (paths.collide(at, {0, 0, 1}, random)) {
      ASSERT_LE(std::abs(at.z), 21);
      depth += static_cast<double>(at.z) + 20.5;
    } else {
      ++passed;
    }
    ratio += static_cast<double>(paths.transmittance(start, {0, 0, 1}, random));
  }
  const double deviation = std::sqrt(wanted * (1 - wanted) / kPaths);
  EXPECT_NEAR(passed / double{kPaths}, wanted, 4 * deviation);
  EXPECT_NEAR(ratio / kPaths, wanted, 4 * deviation);
  // The mean of an exponential that is cut off at the far side.
  const double sigma = double{kExtinction} * double{kDensity};
  EXPECT_NEAR(depth / (kPaths - passed), 1 / sigma - 41 * wanted / (1 - wanted), 0.1);
}

TEST(LightPaths, PassAVolumeOfManyDensitiesAsOftenAsTheExponentialSays) {
  const DensityVolume volume = ball_volume(20, 0.8f);
  const LightPaths paths(volume, kExtinction, constant_sky(1));
  const glm::vec3 start(-60, 3, -9), direction = glm::normalize(glm::vec3(1, -0.07f, 0.21f));
  double depth = 0;
  constexpr double kStep = 0.01;
  for (int i = 0; i < 14000; ++i) {
    const auto t = static_cast<float>((i + 0.5) * kStep);
    depth += kStep * static_cast<double>(volume.density(start + t * direction));
  }
  const double wanted = std::exp(-double{kExtinction} * depth);
  ASSERT_GT(wanted, 0.05);
  ASSERT_LT(wanted, 0.6);
  constexpr int kPaths = 100000;
  int passed = 0;
  double ratio = 0;
  for (int i = 0; i < kPaths; ++i) {
    PathRandom random(7, static_cast<std::uint64_t>(i));
    glm::vec3 at = start;
    passed += paths.collide(at, direction, random) ? 0 : 1;
    ratio += static_cast<double>(paths.transmittance(start, direction, random));
  }
  const double deviation = std::sqrt(wanted * (1 - wanted) / kPaths);
  EXPECT_NEAR(passed / double{kPaths}, wanted, 4 * deviation);
  EXPECT_NEAR(ratio / kPaths, wanted, 4 * deviation);
}

TEST(LightPaths, InAConstantSkyWithoutAbsorptionScatterThatSky) {
  const DensityVolume volume = block();
  const LightPaths paths(volume, 4 * kExtinction, constant_sky(1));
  for (const glm::vec3& at : {glm::vec3(0), glm::vec3(19, 0, 3), glm::vec3(0, 0, 300)}) {
    for (std::uint64_t i = 0; i < 500; ++i) {
      PathRandom random(2, i);
      std::array<ScatterPoint, 4> points;
      const std::size_t count = paths.trace(at, random, points);
      ASSERT_GE(count, 1u);
      EXPECT_EQ(points[0].voxels, at);
      for (std::size_t k = 0; k < count; ++k) {
        ASSERT_NEAR(points[k].radiance[0], 0.25f, 1e-4f);
        ASSERT_NEAR(points[k].radiance[2], 1.0f, 1e-4f);
      }
    }
  }
}

TEST(LightPaths, WithAbsorptionScatterAsMuchAsTheOrdersOfScatteringSay) {
  // In a huge block, the light of the sky never arrives; close to its side, some does. Mean over
  // paths against a plain walk with absorption at random.
  const DensityVolume volume = block();
  const LightPaths paths(volume, kExtinction, constant_sky(0.7f));
  double own = 0, plain = 0;
  constexpr int kPaths = 100000;
  for (std::uint64_t i = 0; i < kPaths; ++i) {
    PathRandom random(3, i), other(4, i);
    ScatterPoint point;
    paths.trace({0, 0, 10}, random, std::span(&point, 1));
    own += static_cast<double>(point.radiance[2]);
    glm::vec3 at(0, 0, 10);
    bool scattered = true;
    do scattered = other.next() < 0.7f;
    while (scattered && paths.collide(at, other.direction(), other));
    plain += scattered ? 1 : 0;
  }
  EXPECT_NEAR(own / kPaths, plain / kPaths, 4 * 0.5 / std::sqrt(double{kPaths}));
}

TEST(LightPaths, ScatterTheSunThatArrivesAtAPlace) {
  VolumeLight light = constant_sky(1);
  light.zenith = light.nadir = {0, 0, 0};
  light.sun = {1, 2, 3};
  light.sun_direction = {0, 0, 1};
  const DensityVolume volume = block();
  // So thin that light is scattered once.
  const LightPaths paths(volume, 1e-4f, light);
  double sum = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    PathRandom random(5, i);
    ScatterPoint point;
    paths.trace({0, 0, 0}, random, std::span(&point, 1));
    sum += static_cast<double>(point.radiance[1]);
  }
  EXPECT_NEAR(sum / 2000, 2 * 0.25 * std::numbers::inv_pi, 1e-3);
}

TEST(LightPaths, FromOutsideMeetAllSidesAlike) {
  const DensityVolume volume = block();
  const LightPaths paths(volume, kExtinction, constant_sky(1));
  glm::dvec3 mean(0), heading(0);
  int met = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    PathRandom random(6, i);
    glm::vec3 at, direction;
    paths.outer_ray(random, at, direction);
    ASSERT_NEAR(glm::length(direction), 1, 1e-5);
    heading += glm::dvec3(direction);
    if (!paths.collide(at, direction, random)) continue;
    mean += glm::dvec3(at);
    ++met;
  }
  EXPECT_GT(met, 8000);
  EXPECT_LT(glm::length(mean) / met, 0.7);
  EXPECT_LT(glm::length(heading) / 20000, 0.03);
}

}  // namespace
}  // namespace mote
