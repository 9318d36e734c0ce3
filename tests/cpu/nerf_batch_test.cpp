// A step of a NeRF's training for each instruction set: its gradients against differences of its
// loss, and what must not change it.
#include "cpu/nerf_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cameras/lens_rays.h"
#include "support/field_differences.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

class NerfBatches : public testing::TestWithParam<const IsaEntry*> {
 protected:
  static const CpuKernels& kernels() { return *GetParam()->kernels; }
  /// Whether networks of ReLUs are computed with rounded factors.
  static bool rounds() { return rounds_to_bf16(kernels().name); }
};

INSTANTIATE_TEST_SUITE_P(On, NerfBatches, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

TEST_P(NerfBatches, GradientsOfTheParametersAreThoseOfDifferences) {
  for (const bool hdr : {false, true}) {
    SCOPED_TRACE(hdr ? "high dynamic range" : "low dynamic range");
    FieldStepCase own({.hdr = hdr, .light = hdr});
    FieldStepper stepper(own, kernels());
    const FieldStepOutcome outcome = stepper.step();
    ASSERT_GT(outcome.result.rays, 15u);
    {
      SCOPED_TRACE("density network");
      expect_differences(stepper, outcome.density, own.networks.data(), 7, 0x1p-5);
    }
    {
      SCOPED_TRACE("colour network");
      expect_differences(stepper, outcome.color, own.networks.data() + own.color_first, 13, 0x1p-5);
    }
    SCOPED_TRACE("grid");
    expect_differences(stepper, outcome.table, own.table.data(), 5, 0x1p-4);
  }
}

TEST_P(NerfBatches, GradientsAreThoseOfDifferencesWithSeveralEncodings) {
  const GridConfig second{.dimensions = 2,
                          .levels = 2,
                          .features = 4,
                          .log2_table_size = 5,
                          .base_resolution = 5,
                          .per_level_scale = 2};
  FieldStepCase own({.more_encoding = {{Frequency{2}, 0, 3}, {GridEncoding{second}, 1, 2}}});
  FieldStepper stepper(own, kernels());
  const FieldStepOutcome outcome = stepper.step();
  const std::size_t first =
      grid_parameters(std::get<GridEncoding>(own.field.config.encoding->parts[0].kind).grid);
  ASSERT_EQ(outcome.table.size(), first + grid_parameters(second));
  {
    SCOPED_TRACE("density network");
    expect_differences(stepper, outcome.density, own.networks.data(), 11, 0x1p-5);
  }
  SCOPED_TRACE("grids");
  const std::vector<float> behind(outcome.table.begin() + static_cast<std::ptrdiff_t>(first),
                                  outcome.table.end());
  EXPECT_GT(size_of(behind), 0);
  expect_differences(stepper, outcome.table, own.table.data(), 7, 0x1p-4);
}

TEST_P(NerfBatches, GradientsAreThoseOfDifferencesWithSoftDensities) {
  for (const bool proposals : {false, true}) {
    SCOPED_TRACE(proposals ? "proposals" : "occupied cells");
    // With proposals, samples are long: thinner ones keep rays from ending, where losses jump.
    FieldStepCase own({.density = {.kind = DensityKind::softplus, .alpha = proposals ? 0.02 : 0.2},
                       .scale = proposals ? 0.3f : 0.5f,
                       .proposals = proposals});
    FieldStepper stepper(own, kernels());
    const FieldStepOutcome outcome = stepper.step();
    ASSERT_GT(outcome.result.rays, 15u);
    {
      SCOPED_TRACE("density network");
      expect_differences(stepper, outcome.density, own.networks.data(), 7, 0x1p-5);
    }
    SCOPED_TRACE("grid");
    expect_differences(stepper, outcome.table, own.table.data(), 5, 0x1p-4);
  }
}

TEST_P(NerfBatches, SoftDensitiesAreThoseOfTheFormula) {
  constexpr double kAlpha = 0.2;
  constexpr int kSide = 2;
  NeuralField field = tiny_field(FieldApplication::nerf, 3, kSide);
  const auto& grid = std::get<GridEncoding>(field.config.encoding->parts[0].kind).grid;
  const double cells = static_cast<double>(grid_levels(grid).back().scale) / kSide;
  std::mt19937 random(9);
  constexpr std::size_t kCount = 500, kStride = field_plane_stride(kCount);
  std::vector<float> positions(3 * kStride), raw(kStride), found(kStride);
  for (float& x : positions) x = static_cast<float>(random() >> 8) * 0x1p-24f;
  ThreadPool pool(2);
  const auto evaluate = [&](std::vector<float>& values) {
    make_cpu_field(field, kernels(), pool)
        ->evaluate(positions.data(), kCount, kStride, values.data());
  };
  evaluate(raw);
  field.config.density = {.kind = DensityKind::softplus, .alpha = kAlpha};
  evaluate(found);
  for (std::size_t i = 0; i < kCount; ++i) {
    const double shifted = static_cast<double>(raw[i]) + std::log(1 / (1 - kAlpha) - 1);
    const double density = std::log1p(std::exp(shifted)) * cells;
    ASSERT_NEAR(found[i], std::log(density), 1e-5) << i;
  }
}

TEST_P(NerfBatches, GradientsOfExposuresAndBackgroundAreThoseOfDifferences) {
  FieldStepCase own;
  FieldStepper stepper(own, kernels());
  const FieldStepResult result = stepper.step().result;
  ASSERT_EQ(result.photographs.size(), own.photographs.size());
  for (std::size_t photo = 0; photo < own.photographs.size(); ++photo) {
    SCOPED_TRACE(photo);
    const Exposure& exposure = result.photographs[photo].exposure;
    expect_differences(stepper, {exposure.begin(), exposure.end()},
                       own.photographs[photo].exposure.data(), 1, 0x1p-4);
  }
  SCOPED_TRACE("background");
  expect_differences(stepper, {result.d_background.begin(), result.d_background.end()},
                     own.request.background.data(), 1, 0x1p-4);
}

/// Rays of masked pixels have no direction in a step. What their places hold from steps before must
/// not count.
TEST_P(NerfBatches, RaysOfMaskedPixelsChangeNoGradient) {
  FieldStepCase own({.latents = 2});
  std::ranges::fill(own.pixels[2].mask.pixels.span(), std::uint8_t{0});
  const std::vector<float> latents = own.latents;
  FieldStepper used(own, kernels());
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    std::ranges::fill(own.latents, std::nanf(""));
    own.request.seed = 100 + seed;
    used.step();
    own.latents = latents;
    own.request.seed = seed;
    const FieldStepOutcome expected = FieldStepper(own, kernels()).step(), found = used.step();
    EXPECT_EQ(found.color, expected.color);
    EXPECT_EQ(found.density, expected.density);
    EXPECT_EQ(found.table, expected.table);
  }
}

/// Rays in several waves, parts and cascades, with steps that grow.
FieldStepOptions many_rays() {
  return {.aabb_scale = 2, .loss = FieldLoss::huber, .rays = 3000};
}

/// Upper bound on the samples of the first wave.
std::size_t samples_of_a_wave(std::size_t rays) {
  return rays * static_cast<std::size_t>(NerfWaves::samples_per_ray(rays));
}

TEST_P(NerfBatches, GradientsAreThoseOfDifferencesWithManyWaves) {
  FieldStepCase own(many_rays());
  own.request.random_background = true;
  FieldStepper stepper(own, kernels(), 2);
  const FieldStepOutcome outcome = stepper.step();
  ASSERT_GT(outcome.result.samples, samples_of_a_wave(outcome.result.rays));
  std::mt19937 random(23);
  const auto expect_slope = [&](const std::vector<float>& gradient, auto* parameters,
                                const auto& moved) {
    const std::vector before(parameters, parameters + gradient.size());
    std::vector<float> direction(gradient.size());
    double expected = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      direction[i] = random() % 2 == 0 ? 1.0f : -1.0f;
      expected += static_cast<double>(direction[i]) * static_cast<double>(gradient[i]);
    }
    const double found = difference(stepper, 0x1p-8, [&](double offset) {
      for (std::size_t i = 0; i < direction.size(); ++i) {
        parameters[i] = moved(before[i], static_cast<float>(offset) * direction[i]);
      }
    });
    EXPECT_NEAR(expected, found, 3e-3 * size_of(gradient));
  };
  const auto add = [](float value, float offset) { return value + offset; };
  const auto add_half = [](std::uint16_t value, float offset) {
    return to_half(from_half(value) + offset);
  };
  for (int trial = 0; trial < 4; ++trial) {
    SCOPED_TRACE(trial);
    expect_slope(outcome.density, own.networks.data(), add);
    expect_slope(outcome.color, own.networks.data() + own.color_first, add);
    expect_slope(outcome.table, own.table.data(), add_half);
  }
}

TEST_P(NerfBatches, RoundedFactorsChangeTheGradientsLittle) {
  FieldStepOptions options = many_rays();
  options.activation = LayerActivation::relu;
  FieldStepCase own(options);
  const FieldStepOutcome found = FieldStepper(own, kernels()).step(),
                         expected = FieldStepper(own, *usable_isas().front()->kernels).step();
  const double tolerance = rounds() ? 0.05 : 1e-3;
  EXPECT_NEAR(found.result.loss, expected.result.loss, tolerance * expected.result.loss);
  EXPECT_LT(relative_error(found.density, expected.density), tolerance);
  EXPECT_LT(relative_error(found.color, expected.color), tolerance);
  EXPECT_LT(relative_error(found.table, expected.table), tolerance);
}

void expect_same(const FieldStepOutcome& found, const FieldStepOutcome& expected) {
  EXPECT_EQ(found.density, expected.density);
  EXPECT_EQ(found.color, expected.color);
  EXPECT_EQ(found.table, expected.table);
  EXPECT_EQ(found.result.loss, expected.result.loss);
  EXPECT_EQ(found.result.l1, expected.result.l1);
  EXPECT_EQ(found.result.mse, expected.result.mse);
  EXPECT_EQ(found.result.rays, expected.result.rays);
  EXPECT_EQ(found.result.samples, expected.result.samples);
  EXPECT_EQ(found.result.d_background, expected.result.d_background);
  ASSERT_EQ(found.result.photographs.size(), expected.result.photographs.size());
  for (std::size_t i = 0; i < expected.result.photographs.size(); ++i) {
    EXPECT_EQ(found.result.photographs[i].exposure, expected.result.photographs[i].exposure);
  }
}

TEST_P(NerfBatches, TheNumberOfThreadsChangesNoBit) {
  const FieldStepCase own(many_rays());
  const FieldStepOutcome expected = FieldStepper(own, kernels(), 1).step();
  EXPECT_GT(size_of(expected.table), 0);
  for (const int threads : {2, 3}) {
    SCOPED_TRACE(threads);
    expect_same(FieldStepper(own, kernels(), threads).step(), expected);
  }
}

TEST_P(NerfBatches, InputsThatPadTheGridAreZero) {
  const FieldStepCase own;
  const std::size_t inputs = 16, features = 6;
  ASSERT_EQ(own.field.config.encoding->outputs(), static_cast<int>(features));
  ASSERT_EQ(own.field.config.encoding->padded_outputs(), static_cast<int>(inputs));
  FieldStepper stepper(own, kernels());
  stepper.step();  // leaves gradients where features were
  const std::vector<float> density = stepper.step().density;
  for (std::size_t neuron = 0; neuron < 16; ++neuron) {
    for (std::size_t i = features; i < inputs; ++i) ASSERT_EQ(density[neuron * inputs + i], 0) << i;
  }
}

TEST_P(NerfBatches, AStepLeavesNothingForTheNextStep) {
  FieldStepCase own;
  FieldStepper stepper(own, kernels());
  const FieldStepOutcome expected = stepper.step();
  own.request.seed = 6;
  EXPECT_NE(stepper.step().table, expected.table);
  own.request.seed = 5;
  expect_same(stepper.step(), expected);
}

TEST_P(NerfBatches, PixelsWithoutWeightChangeNothing) {
  FieldStepCase own(many_rays());
  const FieldStepOutcome expected = FieldStepper(own, kernels()).step();
  EXPECT_LT(expected.result.rays, own.options.rays - 50);
  PhotoPixels& photo = own.pixels[2];
  for (std::size_t p = 0; p < photo.mask.pixels.size(); ++p) {
    if (photo.mask.pixels[p] > 0) continue;
    for (std::size_t c = 0; c < 3; ++c) photo.color.pixels[3 * p + c] ^= 0xff;
  }
  expect_same(FieldStepper(own, kernels()).step(), expected);
}

TEST_P(NerfBatches, PixelsThatTheLensDoesNotSeeChangeNothing) {
  FieldStepCase own(many_rays());
  FieldPhoto& photograph = own.photographs[0];
  const Camera camera = photograph.camera;
  photograph.camera.lens =
      std::make_shared<const LensRays>(camera, Lens{LensKind::brown, {-3}}, "test");
  const FieldStepOutcome expected = FieldStepper(own, kernels()).step();
  Image8& color = own.pixels[0].color;
  int unseen = 0;
  for (int y = 0; y < color.height; ++y) {
    for (int x = 0; x < color.width; ++x) {
      const glm::dvec2 px(x + 0.5, y + 0.5);
      if (photograph.camera.lens->sees((px - camera.center_px) / camera.focal_px)) continue;
      ++unseen;
      for (int c = 0; c < 3; ++c) color.row(y)[3 * x + c] ^= 0xff;
    }
  }
  EXPECT_GT(unseen, 5);
  expect_same(FieldStepper(own, kernels()).step(), expected);
}

TEST_P(NerfBatches, PhotographsWithoutWeightHaveNeitherLossNorGradient) {
  FieldStepCase own;
  for (PhotoPixels& photo : own.pixels) {
    photo.mask.resize_discard(photo.color.width, photo.color.height, 1);
    for (std::uint8_t& byte : photo.mask.pixels.span()) byte = 0;
  }
  const FieldStepOutcome outcome = FieldStepper(own, kernels()).step();
  EXPECT_EQ(outcome.result.rays, 0u);
  EXPECT_EQ(outcome.result.samples, 0u);
  EXPECT_EQ(outcome.result.loss, 0);
  EXPECT_EQ(size_of(outcome.density) + size_of(outcome.color) + size_of(outcome.table), 0);
  for (const float d : outcome.result.d_background) EXPECT_EQ(d, 0);
}

TEST_P(NerfBatches, AnEmptyFieldHasTheLossOfItsBackground) {
  FieldStepCase own;
  for (float& value : own.field.occupancy.values) value = 0;
  // One photograph of one colour, so that the chosen pixels do not matter.
  own.request.photographs = std::span(own.photographs).subspan(1, 1);
  own.photographs[1].exposure = own.photographs[2].exposure;
  const double color[] = {51, 102, 204}, alpha = 0.6;
  for (std::size_t p = 0; p < own.pixels[1].color.pixels.size(); ++p) {
    own.pixels[1].color.pixels[p] =
        static_cast<std::uint8_t>(p % 4 == 3 ? 255 * alpha : color[p % 4]);
  }
  const FieldStepResult result = FieldStepper(own, kernels()).step().result;
  const Exposure& m = own.photographs[1].exposure;
  const std::array<float, 3>& behind = own.request.background;
  double mse = 0, l1 = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    double shown = static_cast<double>(m[4 * c + 3]);
    for (std::size_t from = 0; from < 3; ++from) {
      shown += static_cast<double>(m[4 * c + from]) * static_cast<double>(behind[from]);
    }
    const double target = alpha * color[c] / 255 + (1 - alpha) * static_cast<double>(behind[c]);
    mse += (shown - target) * (shown - target) / 3;
    l1 += std::abs(shown - target) / 3;
  }
  EXPECT_EQ(result.samples, 0u);
  EXPECT_NEAR(result.mse, mse, 1e-6);
  EXPECT_NEAR(result.loss, mse, 1e-6) << "the loss is L2";
  EXPECT_NEAR(result.l1, l1, 1e-6);
}

TEST_P(NerfBatches, RaysWithoutSpaceForTheirSamplesAreDroppedWhole) {
  // Only as many rays as there is space for.
  const FieldStepCase few({.all_occupied = true, .rays = 20});
  const FieldStepOutcome expected = FieldStepper(few, kernels()).step();
  const std::size_t space = expected.result.samples / 16 * 16;
  ASSERT_GT(space, 400u);
  const FieldStepCase all({.all_occupied = true, .rays = 24});
  ASSERT_GT(FieldStepper(all, kernels()).step().result.samples, space + 16);
  // The rest of rays 20 to 23 does not fit.
  const FieldStepCase cut({.all_occupied = true, .rays = 24, .space = space + 15});
  const FieldStepOutcome found = FieldStepper(cut, kernels()).step();
  expect_same(found, expected);
  EXPECT_GT(found.samples_found, expected.samples_found);
}

TEST_P(NerfBatches, LossAndGradientAgreeWhereRaysAreDroppedInALaterWave) {
  FieldStepOptions options = many_rays();
  const FieldStepOutcome whole = FieldStepper(FieldStepCase(options), kernels()).step();
  const std::size_t first_wave = samples_of_a_wave(whole.result.rays);
  ASSERT_GT(whole.result.samples, first_wave + 100);
  options.space = (first_wave + whole.result.samples) / 2;
  FieldStepCase own(options);
  FieldStepper stepper(own, kernels());
  const FieldStepOutcome outcome = stepper.step();
  EXPECT_LT(outcome.result.rays, whole.result.rays);
  EXPECT_GT(outcome.result.rays, 0u);
  EXPECT_LE(outcome.result.samples, options.space);
  EXPECT_GT(outcome.samples_found, outcome.result.samples);
  expect_differences(stepper, outcome.color, own.networks.data() + own.color_first, 211, 0x1p-5);
  expect_differences(stepper, outcome.table, own.table.data(), 67, 0x1p-4);
}

TEST_P(NerfBatches, KnownDensitiesSaveSamplesBehindTheEndOfRays) {
  FieldStepOptions options = many_rays();
  options.scale = 6;  // so that rays end within a few samples
  const FieldStepOutcome unknown = FieldStepper(FieldStepCase(options), kernels()).step();
  options.known_density = 0.5f;
  const FieldStepOutcome known = FieldStepper(FieldStepCase(options), kernels()).step();
  EXPECT_EQ(known.result.loss, unknown.result.loss);
  EXPECT_EQ(known.result.rays, unknown.result.rays);
  EXPECT_EQ(known.result.samples, unknown.result.samples);
  EXPECT_LT(relative_error(known.table, unknown.table), 1e-5);
  EXPECT_GT(unknown.samples_evaluated, 2 * unknown.result.samples);
  EXPECT_LT(known.samples_evaluated, unknown.samples_evaluated * 2 / 3);
}

TEST_P(NerfBatches, WithoutAnySpaceNothingIsTrained) {
  const FieldStepCase own({.all_occupied = true, .space = 16});
  const FieldStepOutcome outcome = FieldStepper(own, kernels()).step();
  EXPECT_EQ(outcome.result.rays, 0u);
  EXPECT_EQ(outcome.result.samples, 0u);
  EXPECT_EQ(outcome.result.loss, 0);
  EXPECT_GT(outcome.samples_found, 0u);
  EXPECT_EQ(size_of(outcome.density) + size_of(outcome.color) + size_of(outcome.table), 0);
}

}  // namespace
}  // namespace mote
