// The losses of rays in training, and the gradients of their samples against differences of the
// loss in double.
#include <cmath>

#include "cuda/kernels/fields/ray_samples.h"
#include "field_kernels_fixture.h"
#include "fields/applications/soft_density.h"

namespace mote::cuda {
namespace {

using RayGradients = OnTheHostRun;

/// Rays with some samples each.
struct GradientProblem {
  static constexpr unsigned kCount = 40;

  explicit GradientProblem(SampleLight l, bool soft) : light(l), is_soft(soft) {
    std::mt19937 random(8);
    for (unsigned ray = 0; ray < kCount; ++ray) {
      const auto count = static_cast<std::uint32_t>(random() % 11);
      segments.push_back({static_cast<std::uint32_t>(samples), count});
      samples += count;
    }
    density = random_floats(random, samples, 2, 5);
    colors = random_floats(random, 3 * samples, -1, 1);
    dt = random_floats(random, samples, 0.01f, 0.04f);
    t = random_floats(random, samples, 0.2f, 2);
    for (unsigned ray = 0; ray < kCount; ++ray) {
      const std::vector<float> own = random_floats(random, 6, 0, 1);
      targets.push_back(
          {{own[0], own[1], own[2]}, {own[3], own[4], own[5]}, ray % 5 == 4 ? 0.0f : 0.5f, 1.0f});
    }
  }
  SampleValues values(const float* device_density, const float* device_colors) const {
    return {.light = light,
            .density = device_density,
            .colors = device_colors,
            .stride = samples,
            .soft_shift = is_soft ? -2.0f : 0.0f,
            .soft_cells = is_soft ? 20.0f : 0.0f};
  }
  /// The squared differences, times the weights, in double.
  double loss(const std::vector<double>& raw, const std::vector<double>& raw_colors) const {
    double sum = 0;
    for (unsigned ray = 0; ray < kCount; ++ray) {
      RayColor<double> color;
      const WaveSegment segment = segments[ray];
      for (std::size_t k = 0; k < segment.count; ++k) {
        const std::size_t at = segment.first + k;
        const double own = is_soft ? log_softplus(raw[at] - 2.0) + std::log(20.0) : raw[at];
        SampleColor<double> sample{};
        sample.thickness = optical_thickness(own, static_cast<double>(dt[at]));
        sample.opacity = opacity_of_thickness(sample.thickness);
        for (std::size_t c = 0; c < 3; ++c) {
          const double x = raw_colors[c * samples + at];
          sample.color[c] =
              light == SampleLight::unbounded ? field_color<true>(x) : field_color<false>(x);
        }
        add_sample(sample, color);
      }
      const bool ended = color.transmittance < static_cast<double>(kTrainingStop);
      const double opaque = ended ? opaque_factor(color.transmittance) : 1;
      const double left = ended ? 0 : color.transmittance;
      for (std::size_t c = 0; c < 3; ++c) {
        const double shown =
            opaque * color.color[c] + left * static_cast<double>(targets[ray].background[c]);
        sum += static_cast<double>(targets[ray].weight) *
               std::pow(shown - static_cast<double>(targets[ray].color[c]), 2);
      }
    }
    return sum;
  }

  SampleLight light;
  bool is_soft;
  std::size_t samples = 0;
  std::vector<WaveSegment> segments;
  std::vector<float> density, colors, dt, t;
  std::vector<RayTarget> targets;
};

void expect_gradients_of_differences(const GradientProblem& p) {
  const auto density = on_device(p.density), colors = on_device(p.colors), dt = on_device(p.dt),
             t = on_device(p.t);
  const auto targets = on_device(p.targets);
  auto segments = on_device(p.segments);
  std::vector<float> of_targets;
  for (const RayTarget& target : p.targets) of_targets.push_back(target.weight);
  const auto weights = on_device(of_targets);
  auto drawn = zeros_on_device<DrawnColor>(p.kCount);
  const SamplePlanes planes{.positions = nullptr,
                            .t = const_cast<float*>(t.data()),
                            .dt = const_cast<float*>(dt.data()),
                            .rays = nullptr,
                            .stride = p.samples};
  const SampleValues values = p.values(density.data(), colors.data());
  run_ray_composite({.values = values,
                     .samples = planes,
                     .segments = segments.data(),
                     .weights = weights.data(),
                     .drawn = drawn.data(),
                     .count = p.kCount},
                    nullptr);
  const auto photographs = zeros_on_device<std::uint32_t>(p.kCount);
  const auto exposures =
      on_device(std::vector<float>(kNeutralExposure.begin(), kNeutralExposure.end()));
  const auto scale = on_device(std::vector<float>{1});
  auto losses = zeros_on_device<RayLoss>(p.kCount);
  run_ray_grade({.loss = FieldLoss::l2,
                 .drawn = drawn.data(),
                 .targets = targets.data(),
                 .weights = weights.data(),
                 .photographs = photographs.data(),
                 .exposures = exposures.data(),
                 .scale = scale.data(),
                 .losses = losses.data(),
                 .count = p.kCount},
                nullptr);
  auto d_density = zeros_on_device<float>(p.samples);
  auto d_colors = zeros_on_device<float>(3 * p.samples);
  run_sample_gradients({.values = values,
                        .samples = planes,
                        .segments = segments.data(),
                        .weights = weights.data(),
                        .losses = losses.data(),
                        .count = p.kCount,
                        .most = 1e9f,
                        .d_density = d_density.data(),
                        .d_colors = d_colors.data()},
                       nullptr);
  const std::vector<float> own_density = from_device(d_density), own_colors = from_device(d_colors);
  std::vector<double> raw(p.density.begin(), p.density.end());
  std::vector<double> raw_colors(p.colors.begin(), p.colors.end());
  double sum = 0;
  for (const RayLoss& loss : from_device(losses)) sum += static_cast<double>(loss.loss);
  EXPECT_NEAR(sum, p.loss(raw, raw_colors), 1e-4 * sum);
  const auto difference = [&](double& value) {
    constexpr double kStep = 1e-4;
    const double before = value;
    value = before + kStep;
    const double above = p.loss(raw, raw_colors);
    value = before - kStep;
    const double below = p.loss(raw, raw_colors);
    value = before;
    return (above - below) / (2 * kStep);
  };
  for (std::size_t i = 0; i < p.samples; ++i) {
    ASSERT_NEAR(own_density[i], difference(raw[i]), 2e-5) << "sample " << i;
  }
  for (std::size_t i = 0; i < 3 * p.samples; ++i) {
    ASSERT_NEAR(own_colors[i], difference(raw_colors[i]), 2e-5) << "colour " << i;
  }
}

TEST_F(RayGradients, ScaleGradientsByTheSumOfTheWeights) {
  auto scale = zeros_on_device<float>(1);
  std::vector<float> weights(3000, 0.25f);
  weights[7] = 0;
  run_gradient_scale(on_device(weights).data(), 3000, scale.data(), nullptr);
  EXPECT_FLOAT_EQ(from_device(scale).front(), 1 / (0.25f * 2999));
  run_gradient_scale(on_device(std::vector<float>(9)).data(), 9, scale.data(), nullptr);
  EXPECT_EQ(from_device(scale).front(), 0);
}

TEST_F(RayGradients, HaveTheGradientsOfDifferences) {
  expect_gradients_of_differences(GradientProblem(SampleLight::display, false));
  expect_gradients_of_differences(GradientProblem(SampleLight::unbounded, false));
  expect_gradients_of_differences(GradientProblem(SampleLight::display, true));
}

}  // namespace
}  // namespace mote::cuda
