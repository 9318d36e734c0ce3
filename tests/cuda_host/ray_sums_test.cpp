// Sums over the rays of a training step, beside plain sums in double.
#include "cuda/kernels/fields/ray_sums.h"

#include <cmath>

#include "cuda/kernels/fields/latent_gradients.h"
#include "field_kernels_fixture.h"

namespace mote::cuda {
namespace {

using RaySumKernels = OnTheHostRun;

TEST_F(RaySumKernels, AddUpTheRaysOfEachPhotograph) {
  constexpr unsigned kRays = 2600, kPhotographs = 5;  // none of the last one
  std::mt19937 random(2);
  std::vector<RayLoss> losses(kRays);
  std::vector<DrawnColor> drawn(kRays);
  std::vector<RayTarget> targets(kRays);
  std::vector<float> weights(kRays);
  std::vector<std::uint32_t> photographs(kRays);
  std::vector<double> expected(kPhotographs * kRaySums);
  for (unsigned i = 0; i < kRays; ++i) {
    const std::vector<float> own = random_floats(random, 14, -1, 1);
    losses[i] = {.last = {own[0], own[1], own[2]},
                 .d_last = {own[3], own[4], own[5]},
                 .d_shown = {own[6], own[7], own[8]},
                 .loss = own[9],
                 .absolute = own[10],
                 .squared = own[11]};
    drawn[i].color.transmittance = std::abs(own[12]);
    drawn[i].samples = i % 50;
    targets[i].coverage = std::abs(own[13]);
    weights[i] = i % 7 == 0 ? 0.0f : 0.25f * static_cast<float>(1 + i % 4);
    photographs[i] = static_cast<std::uint32_t>(random() % (kPhotographs - 1));
    double* const sums = expected.data() + photographs[i] * kRaySums;
    sums[kFoundSamples] += drawn[i].samples;
    if (weights[i] == 0) continue;
    sums[kTrainedRays] += 1;
    sums[kTrainedSamples] += drawn[i].samples;
    sums[kRayWeights] += static_cast<double>(weights[i]);
    sums[kRayLosses] += static_cast<double>(own[9]);
    sums[kRayDifferences] += static_cast<double>(own[10]);
    sums[kRaySquares] += static_cast<double>(own[11]);
    const double left = static_cast<double>(drawn[i].color.transmittance);
    const double uncovered = 1 - static_cast<double>(targets[i].coverage);
    for (std::size_t c = 0; c < 3; ++c) {
      const auto d_shown = static_cast<double>(losses[i].d_shown[c]);
      sums[kRaySlopeSums + c] +=
          static_cast<double>(losses[i].d_last[c]) * left - d_shown * uncovered;
      double* const row = sums + kRaySlopeSums + 3 + 4 * c;
      for (std::size_t from = 0; from < 3; ++from) {
        row[from] += d_shown * static_cast<double>(losses[i].last[from]);
      }
      row[3] += d_shown;
    }
  }
  const auto on_losses = on_device(losses);
  const auto on_drawn = on_device(drawn);
  const auto on_targets = on_device(targets);
  const auto on_weights = on_device(weights);
  const auto on_photographs = on_device(photographs);
  std::vector<double> first;
  for (const std::uint64_t seed : {0u, 3u}) {
    cuda_host::machine().schedule_seed = seed;
    auto sums = on_device(std::vector<double>(expected.size(), -1));
    run_ray_sums({.losses = on_losses.data(),
                  .drawn = on_drawn.data(),
                  .targets = on_targets.data(),
                  .weights = on_weights.data(),
                  .photographs = on_photographs.data(),
                  .count = kRays,
                  .photograph_count = kPhotographs,
                  .sums = sums.data()},
                 nullptr);
    const std::vector<double> found = from_device(sums);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(found[i], expected[i], 1e-4) << i / kRaySums << " " << i % kRaySums;
    }
    if (seed == 0) first = found;
    EXPECT_EQ(found, first) << "in any order of threads";
  }
}

TEST_F(RaySumKernels, AddUpTheGradientsOfLatents) {
  constexpr unsigned kRays = 300, kPhotographs = 3;
  constexpr int kFirst = 19, kLatents = 3;  // from the upper half of a pair on
  constexpr float kUnscaled = 1.0f / 64;
  std::mt19937 random(3);
  std::vector<WaveSegment> segments(kRays);
  std::vector<float> weights(kRays);
  std::vector<std::uint32_t> photographs(kRays);
  std::uint32_t samples = 0;
  for (unsigned i = 0; i < kRays; ++i) {
    weights[i] = i % 9 == 0 ? 0.0f : 0.5f;
    photographs[i] = static_cast<std::uint32_t>(random() % kPhotographs);
    segments[i] = {samples, weights[i] > 0 ? i % 6 : kNoSpaceForRay};
    if (weights[i] > 0) samples += segments[i].count;
  }
  const std::size_t stride = samples;
  std::vector<std::uint32_t> d_features(16 * stride);
  std::vector<double> expected(kPhotographs * kLatents);
  for (std::size_t i = 0; i < d_features.size(); ++i) {
    const std::vector<float> own = random_floats(random, 2, -1, 1);
    d_features[i] = half_pair(own[0], own[1]);
  }
  for (unsigned i = 0; i < kRays; ++i) {
    for (std::uint32_t k = 0; weights[i] > 0 && k < segments[i].count; ++k) {
      for (int l = 0; l < kLatents; ++l) {
        const auto input = static_cast<std::size_t>(kFirst + l);
        const std::uint32_t word = d_features[input / 2 * stride + segments[i].first + k];
        const float own = input % 2 == 0 ? low_of(word) : high_of(word);
        expected[photographs[i] * kLatents + static_cast<std::size_t>(l)] +=
            static_cast<double>(own * kUnscaled);
      }
    }
  }
  const auto on_features = on_device(d_features);
  const auto on_segments = on_device(segments);
  const auto on_weights = on_device(weights);
  const auto on_photographs = on_device(photographs);
  auto of_rays = zeros_on_device<float>(kRays * kLatents);
  auto sums = zeros_on_device<double>(expected.size());
  run_latent_gradients({.d_features = on_features.data(),
                        .first_latent = kFirst,
                        .latents = kLatents,
                        .unscaled = kUnscaled,
                        .segments = on_segments.data(),
                        .weights = on_weights.data(),
                        .photographs = on_photographs.data(),
                        .count = kRays,
                        .photograph_count = kPhotographs,
                        .stride = stride,
                        .of_rays = of_rays.data(),
                        .sums = sums.data()},
                       nullptr);
  const std::vector<double> found = from_device(sums);
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-5) << i;
}

}  // namespace
}  // namespace mote::cuda
