// Rays that are marched in parts, or through a part of their way.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "support/marched_rays.h"

namespace mote {
namespace {

TEST(MarchParts, InWavesFindsTheSameSamples) {
  const OccupancyBits bits = random_bits_of(3, 5);
  const MarchSettings settings({-1.5f, -1.5f, -1.5f}, {2.5f, 2.5f, 2.5f}, 3, kUsualCone);
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Ray ray = random_ray(random, 4);
    const auto at_once = march_all(bits, settings, ray);
    RayMarch march_of = begin_march(settings, ray.origin, ray.direction, ray.jitter);
    std::vector<RaySample> in_waves;
    while (!march_of.done()) {
      std::array<RaySample, 8> wave{};
      const MarchBounds bounds{1 + static_cast<int>(random() % wave.size()),
                               0.01f * static_cast<float>(1 + random() % 16)};
      const int count = march(bits, settings, march_of, bounds, wave.data());
      ASSERT_TRUE((count >= 1 && count <= bounds.samples) || march_of.done());
      in_waves.insert(in_waves.end(), wave.begin(), wave.begin() + count);
    }
    ASSERT_EQ(in_waves.size(), at_once.size());
    for (std::size_t i = 0; i < at_once.size(); ++i) {
      ASSERT_EQ(in_waves[i].t, at_once[i].t);
      ASSERT_EQ(in_waves[i].dt, at_once[i].dt);
    }
  }
}

TEST(MarchParts, EndsAPartAtItsThickness) {
  // Densities that the bytes of the grid hold exactly.
  OccupancyDensities densities{1, std::vector<float>(kOccupancyCells, 0x1p-4f)};
  for (std::size_t i = kOccupancyCells / 2; i < kOccupancyCells; ++i) {
    densities.values[i] = 0x1p-2f;  // for z above a half
  }
  const OccupancyBits bits(densities);
  const MarchSettings settings({0, 0, 0}, {1, 1, 1}, 1, 0);
  RayMarch ray = begin_march(settings, {0.3f, 0.4f, -1}, {0, 0, 1}, 0.5f);
  std::vector<RaySample> samples(kMostRaySamples);
  // A sample of the first half has a thickness of 1/16.
  EXPECT_EQ(march(bits, settings, ray, {1024, 0.99f}, samples.data()), 16);
  EXPECT_EQ(march(bits, settings, ray, {3, 1.0f}, samples.data()), 3);
  for (const float thickness : {1e-3f, 0.0f, -1.0f, std::nanf("")}) {
    EXPECT_EQ(march(bits, settings, ray, {1024, thickness}, samples.data()), 1) << thickness;
  }
  EXPECT_FALSE(ray.done());
  const int half = march(bits, settings, ray, {1024, 1e9f}, samples.data());
  EXPECT_TRUE(ray.done());
  ray = begin_march(settings, {0.3f, 0.4f, 0.5f}, {0, 0, 1}, 0.5f);
  EXPECT_EQ(march(bits, settings, ray, {1024, 0.99f}, samples.data()), 4);
  EXPECT_GT(half, 500);
}

TEST(MarchParts, AShortenedRayHasTheSamplesBetweenTheDistances) {
  const OccupancyBits bits = random_bits_of(3, 5);
  const MarchSettings settings({-1.5f, -1.5f, -1.5f}, {2.5f, 2.5f, 2.5f}, 3, kUsualCone);
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Ray ray = random_ray(random, 4);
    const float t = 0.01f * static_cast<float>(random() % 300), t_end = t + 0.5f;
    auto expected = march_all(bits, settings, ray);
    std::erase_if(expected, [&](const RaySample& one) { return one.t < t || one.t >= t_end; });
    RayMarch march_of = begin_march(settings, ray.origin, ray.direction, ray.jitter);
    shorten_march(settings, t, t_end, march_of);
    std::vector<RaySample> found(kMostRaySamples + 1);
    found.resize(static_cast<std::size_t>(march(bits, settings, march_of, {1025}, found.data())));
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].t, expected[i].t);
  }
}

/// Occupied cells in a part of the first cascade only, in one of the second, or nowhere.
OccupancyBits some_cells(int where) {
  OccupancyDensities densities{2, std::vector<float>(2 * kOccupancyCells, 0.0f)};
  std::mt19937 random(7);
  for (int i = 0; i < 2000 && where < 2; ++i) {
    const auto near = [&](std::uint32_t first) {
      return first + static_cast<std::uint32_t>(random() % 20);
    };
    const OccupancyCell cell{near(40), near(70), near(10)};
    densities.values[cell_number(where, cell)] = 1;
  }
  return OccupancyBits(densities);
}

TEST(MarchParts, TheBoxOfTheOccupiedCellsChangesNoSample) {
  std::mt19937 random(4);
  std::size_t samples = 0, outside = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    static const std::array<OccupancyBits, 2> kGrids{some_cells(0), some_cells(1)};
    const OccupancyBits& bits = kGrids[static_cast<std::size_t>(trial % 2)];
    const MarchSettings settings({-0.5f, -0.5f, -0.5f}, {1.5f, 1.5f, 1.5f}, 2,
                                 trial % 4 < 2 ? 0 : kUsualCone);
    Ray ray = random_ray(random, 1.5);
    if (trial % 10 == 0) ray.direction = {0, 0, trial % 20 == 0 ? 1.0f : -1.0f};
    const auto expected = march_all(bits, settings, ray);
    const MarchSettings within = settings.within(bits.box());
    outside += begin_march(within, ray.origin, ray.direction, ray.jitter).done() ? 1 : 0;
    RayMarch march_of = begin_march(within, ray.origin, ray.direction, ray.jitter);
    std::vector<RaySample> found(kMostRaySamples + 1);
    found.resize(static_cast<std::size_t>(march(bits, within, march_of, {1025}, found.data())));
    ASSERT_EQ(found.size(), expected.size()) << trial;
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].t, expected[i].t);
    samples += found.size();
  }
  EXPECT_GT(samples, 1000u);
  EXPECT_GT(outside, 500u);
}

TEST(MarchParts, WithoutOccupiedCellsARayIsDoneAtOnce) {
  const OccupancyBits none = some_cells(2);
  const MarchSettings settings({-0.5f, -0.5f, -0.5f}, {1.5f, 1.5f, 1.5f}, 2, 0);
  EXPECT_FALSE(begin_march(settings, {0.5f, 0.5f, -1}, {0, 0, 1}, 0).done());
  EXPECT_TRUE(begin_march(settings.within(none.box()), {0.5f, 0.5f, -1}, {0, 0, 1}, 0).done());
}

}  // namespace
}  // namespace mote
