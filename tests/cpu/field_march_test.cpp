// The marching kernel of each instruction set against march(), ray by ray.
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "cpu/kernels.h"
#include "support/marched_rays.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

constexpr std::size_t kRays = 301;  // the last lanes stay idle
constexpr int kMost = 5;            // samples of a wave

/// All samples of some rays, in waves of bounded lengths and thicknesses.
using Samples = std::vector<std::vector<RaySample>>;

float reach_of(std::size_t ray, int wave) {
  if (ray % 3 == 0) return std::numeric_limits<float>::infinity();
  return 0.02f * static_cast<float>(1 + (ray + static_cast<std::size_t>(wave)) % 9);
}

Samples plain_samples(const OccupancyBits& bits, const MarchSettings& settings,
                      std::vector<RayMarch> rays) {
  Samples samples(rays.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    for (int wave = 0; !rays[i].done(); ++wave) {
      RaySample found[kMost];
      const int count = march(bits, settings, rays[i], {kMost, reach_of(i, wave)}, found);
      samples[i].insert(samples[i].end(), found, found + count);
    }
  }
  return samples;
}

Samples kernel_samples(const CpuKernels& kernels, const OccupancyBits& bits,
                       const MarchSettings& settings, std::vector<RayMarch> rays) {
  Samples samples(rays.size());
  const OccupancyView cells = bits;
  std::vector<std::uint32_t> alive(rays.size());
  std::iota(alive.begin(), alive.end(), 0u);
  for (int wave = 0; !alive.empty(); ++wave) {
    std::vector<float> reach(rays.size());
    for (std::size_t i = 0; i < rays.size(); ++i) reach[i] = reach_of(i, wave);
    std::vector<RaySample> found(alive.size() * kMost);
    std::vector<std::uint32_t> counts(alive.size(), 77);
    const MarchParams params{.occupancy = &cells,
                             .settings = &settings,
                             .rays = rays.data(),
                             .alive = alive.data(),
                             .reach = reach.data(),
                             .most = kMost,
                             .samples = found.data(),
                             .counts = counts.data()};
    kernels.march_rays(params, 0, alive.size() / 2);
    kernels.march_rays(params, alive.size() / 2, alive.size());
    std::vector<std::uint32_t> left;
    for (std::size_t i = 0; i < alive.size(); ++i) {
      const RaySample* own = found.data() + i * kMost;
      samples[alive[i]].insert(samples[alive[i]].end(), own, own + counts[i]);
      if (!rays[alive[i]].done()) left.push_back(alive[i]);
    }
    alive = left;
  }
  return samples;
}

std::vector<RayMarch> rays_through(const MarchSettings& settings, double side) {
  std::mt19937 random(3);
  std::vector<RayMarch> rays;
  for (std::size_t i = 0; i < kRays; ++i) {
    Ray ray = random_ray(random, side);
    if (i % 50 == 0) ray.direction = {0, 0, 1};   // along the cells
    if (i % 50 == 1) ray.direction = {0, 0, -1};  // often away from the box
    rays.push_back(begin_march(settings, ray.origin, ray.direction, ray.jitter));
  }
  return rays;
}

class FieldMarch : public testing::TestWithParam<const IsaEntry*> {
 protected:
  const CpuKernels& kernels() const { return *GetParam()->kernels; }
};

INSTANTIATE_TEST_SUITE_P(On, FieldMarch, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

TEST_P(FieldMarch, EvenStepsAreThoseOfOneRay) {
  for (const float coarseness : {1.0f, 2.0f, 8.0f}) {
    const OccupancyBits bits = random_bits_of(1, 7);
    const MarchSettings settings({0, 0, 0}, {1, 1, 1}, 1, 0, coarseness);
    const auto rays = rays_through(settings, 1);
    const Samples expected = plain_samples(bits, settings, rays),
                  found = kernel_samples(kernels(), bits, settings, rays);
    std::size_t samples = 0;
    for (std::size_t i = 0; i < kRays; ++i) {
      ASSERT_EQ(found[i].size(), expected[i].size()) << i;
      for (std::size_t k = 0; k < found[i].size(); ++k) {
        ASSERT_EQ(found[i][k].t, expected[i][k].t);
        ASSERT_EQ(found[i][k].dt, expected[i][k].dt);
      }
      samples += found[i].size();
    }
    EXPECT_GT(samples, 100u);
  }
}

// Powers of two and logarithms of packs differ from those of one ray in the last digits. A sample
// at the border of a cell may be on its other side.
TEST_P(FieldMarch, GrowingStepsDifferInTheLastDigits) {
  const OccupancyBits bits = random_bits_of(3, 5);
  const MarchSettings settings({-1.5f, -1.5f, -1.5f}, {2.5f, 2.5f, 2.5f}, 3, kUsualCone);
  const auto rays = rays_through(settings, 4);
  const Samples expected = plain_samples(bits, settings, rays),
                found = kernel_samples(kernels(), bits, settings, rays);
  std::size_t samples = 0, missing = 0;
  for (std::size_t i = 0; i < kRays; ++i) {
    samples += expected[i].size();
    std::size_t own = 0;
    for (const RaySample& sample : expected[i]) {
      const float near = 2e-5f * sample.t;
      while (own < found[i].size() && found[i][own].t < sample.t - near) ++own, ++missing;
      if (own == found[i].size() || found[i][own].t > sample.t + near) {
        ++missing;
        continue;
      }
      EXPECT_NEAR(found[i][own++].dt, sample.dt, near);
    }
    missing += found[i].size() - own;
  }
  EXPECT_GT(samples, 1500u);
  EXPECT_LE(missing, samples / 500);
}

TEST_P(FieldMarch, ARayThatIsDoneHasNoSamples) {
  const OccupancyBits bits = all_occupied(1);
  const MarchSettings settings({0, 0, 0}, {1, 1, 1}, 1, 0);
  std::vector<RayMarch> rays(3);
  rays[1] = begin_march(settings, {0.5f, 0.5f, -1}, {0, 0, 1}, 0);
  const Samples found = kernel_samples(kernels(), bits, settings, rays);
  EXPECT_TRUE(found[0].empty());
  EXPECT_GT(found[1].size(), 500u);
  EXPECT_TRUE(found[2].empty());
}

}  // namespace
}  // namespace mote
