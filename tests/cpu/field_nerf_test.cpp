// The fused kernel of a NeRF's networks for each instruction set against plain loops in double, and
// these against differences.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "cpu/kernels.h"
#include "support/plain_nerf.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

using Range = std::pair<std::size_t, std::size_t>;

/// Networks with random weights, and random samples.
struct NerfCase {
  NerfCase(const MlpConfig& density_config, MlpConfig color_config, std::size_t sample_count,
           double weight_size = 0.3)
      : count(sample_count), stride(field_plane_stride(sample_count)) {
    color_config.inputs = mlp_padded(density_config.outputs) + kDirections;
    density_layers = mlp_layers(density_config);
    color_layers = mlp_layers(color_config);
    inputs = static_cast<std::size_t>(density_layers.front().inputs);
    std::mt19937 random(5);
    density_weights = random_values(random, mlp_parameters(density_config), weight_size);
    color_weights = random_values(random, mlp_parameters(color_config), weight_size);
    features = random_values(random, inputs * stride, 1);
    directions = random_values(random, (count / 5 + 1) * kDirections, 1);
    d_raw = random_values(random, 4 * stride, 1);
    rays.resize(stride);
    for (std::size_t i = 0; i < count; ++i) rays[i] = static_cast<std::uint32_t>(i / 5);
  }

  PlainNerf plain(PlainMlp::Rounding rounding = not_rounded) const {
    return {PlainMlp(density_layers, density_weights, rounding),
            PlainMlp(color_layers, color_weights, rounding)};
  }

  Values features_of(std::size_t sample) const { return column(features, inputs, sample); }
  Values d_raw_of(std::size_t sample) const { return column(d_raw, 4, sample); }
  Values direction_of(std::size_t sample) const {
    const auto from = directions.begin() + static_cast<std::ptrdiff_t>(rays[sample] * kDirections);
    return {from, from + kDirections};
  }

  static constexpr int kDirections = 16;
  std::size_t count, stride, inputs = 0;
  std::vector<MlpLayer> density_layers, color_layers;
  Values density_weights, color_weights, features, directions, d_raw;
  std::vector<std::uint32_t> rays;

 private:
  Values column(const Values& planes, std::size_t rows, std::size_t sample) const {
    Values values;
    for (std::size_t r = 0; r < rows; ++r) values.push_back(planes[r * stride + sample]);
    return values;
  }
};

/// Results of the kernel.
struct NerfResults {
  Buffer<float> raw, d_features, d_density_weights, d_color_weights;
  Buffer<float> d_latents;  // [latents][stride]
};

/// Among the values of a direction: the first that is a latent, and the number of these.
struct LatentInputs {
  int first = 0, count = 0;
};

const MlpConfig kUsualDensity{.inputs = 32, .outputs = 16, .neurons = 64, .hidden_layers = 1};
const MlpConfig kUsualColor{.outputs = 3, .neurons = 64, .hidden_layers = 2};

class FieldNerf : public testing::TestWithParam<const IsaEntry*> {
 protected:
  /// Processes the ranges in order. Untouched values are kUntouched, and zero for weights.
  static NerfResults run(const NerfCase& nerf, const std::vector<Range>& ranges,
                         bool colored = true, bool in_place = false,
                         const LatentInputs& latents = {}) {
    const CpuKernels& kernels = *GetParam()->kernels;
    NerfResults results{
        floats_of(Values(4 * nerf.stride, kUntouched)),
        floats_of(in_place ? nerf.features : Values(nerf.features.size())),
        floats_of(Values(nerf.density_weights.size())),
        floats_of(Values(nerf.color_weights.size())),
        floats_of(Values(static_cast<std::size_t>(latents.count) * nerf.stride, kUntouched))};
    const Buffer<float> density = floats_of(nerf.density_weights),
                        color = floats_of(nerf.color_weights), features = floats_of(nerf.features),
                        directions = floats_of(nerf.directions), d_raw = floats_of(nerf.d_raw),
                        density_transposed = floats_of(
                            transposed_weights(nerf.density_layers, nerf.density_weights)),
                        color_transposed =
                            floats_of(transposed_weights(nerf.color_layers, nerf.color_weights));
    const NerfNetworkParams params{nerf.density_layers.data(),
                                   colored ? nerf.color_layers.data() : nullptr,
                                   static_cast<int>(nerf.density_layers.size()),
                                   colored ? static_cast<int>(nerf.color_layers.size()) : 0,
                                   density.data(),
                                   color.data(),
                                   in_place ? results.d_features.data() : features.data(),
                                   directions.data(),
                                   nerf.rays.data(),
                                   NerfCase::kDirections,
                                   results.raw.data(),
                                   nerf.stride};
    for (const auto& [begin, end] : ranges) kernels.nerf_forward(params, begin, end);
    const NerfNetworkBackwardParams backward{params,
                                             density_transposed.data(),
                                             color_transposed.data(),
                                             d_raw.data(),
                                             results.d_features.data(),
                                             results.d_density_weights.data(),
                                             results.d_color_weights.data(),
                                             results.d_latents.data(),
                                             nerf.density_layers.back().outputs + latents.first,
                                             latents.count};
    for (const auto& [begin, end] : ranges) kernels.nerf_backward(backward, begin, end);
    return results;
  }

  /// The kernel's rounding of the factors of products, in networks of ReLUs.
  static PlainMlp::Rounding rounding() {
    const bool rounds = rounds_to_bf16(GetParam()->kernels->name);
    return rounds ? rounded_to_bf16 : not_rounded;
  }

  static void expect_plain_values(const NerfCase& nerf, PlainMlp::Rounding rounding);

  static constexpr float kUntouched = -777;
};

INSTANTIATE_TEST_SUITE_P(On, FieldNerf, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

/// The values of a plane in `rows` planes, without the padding.
Values unpadded(const Buffer<float>& planes, std::size_t rows, const NerfCase& nerf) {
  Values values;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* plane = planes.data() + r * nerf.stride;
    values.insert(values.end(), plane, plane + nerf.count);
  }
  return values;
}

Values values_of(const Buffer<float>& floats) {
  return {floats.data(), floats.data() + floats.size()};
}

/// The size of the difference, relative to that of `expected`.
double relative_error(const Values& found, const Values& expected) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += (found[i] - expected[i]) * (found[i] - expected[i]);
    size += expected[i] * expected[i];
  }
  return std::sqrt(difference / size);
}

void expect_near(const Values& found, const Values& expected, double tolerance,
                 PlainMlp::Rounding rounding) {
  ASSERT_EQ(found.size(), expected.size());
  if (rounding != not_rounded) {
    // A sum of floats and one of doubles may be rounded to neighbours.
    EXPECT_LT(relative_error(found, expected), 1e-3);
    return;
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << i;
  }
}

void FieldNerf::expect_plain_values(const NerfCase& nerf, PlainMlp::Rounding rounding) {
  const NerfResults results = run(nerf, {{0, nerf.count}});
  PlainNerf plain = nerf.plain(rounding);
  Values raw(4 * nerf.count), d_features(nerf.inputs * nerf.count);
  for (std::size_t s = 0; s < nerf.count; ++s) {
    const Values features = nerf.features_of(s), direction = nerf.direction_of(s);
    const Values own = plain.forward(features, direction);
    for (std::size_t r = 0; r < own.size(); ++r) raw[r * nerf.count + s] = own[r];
    const Values d = plain.backward(features, direction, nerf.d_raw_of(s));
    for (std::size_t i = 0; i < d.size(); ++i) d_features[i * nerf.count + s] = d[i];
  }
  expect_near(unpadded(results.raw, 4, nerf), raw, 1e-4, rounding);
  expect_near(unpadded(results.d_features, nerf.inputs, nerf), d_features, 1e-4, rounding);
  expect_near(values_of(results.d_density_weights), plain.d_density_weights, 1e-3, rounding);
  expect_near(values_of(results.d_color_weights), plain.d_color_weights, 1e-3, rounding);
}

TEST_P(FieldNerf, HasTheValuesAndGradientsOfPlainLoops) {
  for (const int neurons : {16, 32, 48, 64, 80, 128}) {
    SCOPED_TRACE(neurons);
    expect_plain_values({{.inputs = 32, .outputs = 16, .neurons = neurons, .hidden_layers = 1},
                         {.outputs = 3, .neurons = neurons, .hidden_layers = 2},
                         150},
                        rounding());
  }
  const MlpConfig usual{.inputs = 32, .outputs = 16, .neurons = 64};
  for (const std::size_t count : {1u, 16u, 17u, 95u, 96u, 97u}) {
    SCOPED_TRACE(count);
    expect_plain_values({usual, {.outputs = 3, .hidden_layers = 2}, count}, rounding());
  }
  expect_plain_values({{.inputs = 24, .outputs = 16, .neurons = 256, .hidden_layers = 2},
                       {.outputs = 3, .neurons = 16, .hidden_layers = 1},
                       60},
                      rounding());
}

TEST_P(FieldNerf, HasNetworksWithoutHiddenLayers) {
  for (const int density_layers : {0, 1}) {
    for (const int color_layers : {0, 2}) {
      SCOPED_TRACE(testing::Message() << density_layers << ", " << color_layers);
      expect_plain_values(
          {{.inputs = 32, .outputs = 16, .neurons = 64, .hidden_layers = density_layers},
           {.outputs = 3,
            .neurons = 64,
            .hidden_layers = color_layers,
            .output_activation = LayerActivation::sigmoid},
           97},
          rounding());
    }
  }
}

TEST_P(FieldNerf, HasEachActivation) {
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    SCOPED_TRACE(kActivationNames[i]);
    const auto activation = static_cast<LayerActivation>(i);
    expect_plain_values({{.inputs = 16,
                          .outputs = 16,
                          .neurons = 16,
                          .hidden_layers = 2,
                          .activation = activation,
                          .output_activation = activation},
                         {.outputs = 3,
                          .neurons = 32,
                          .hidden_layers = 2,
                          .activation = activation,
                          .output_activation = activation},
                         60,
                         0.15},
                        not_rounded);
    expect_plain_values({{.inputs = 16, .outputs = 16, .neurons = 16},
                         {.outputs = 3, .neurons = 32, .output_activation = activation},
                         60,
                         0.15},
                        rounding());
  }
}

TEST_P(FieldNerf, HasTheGradientsOfLatentsOfPlainLoops) {
  for (const LatentInputs& latents :
       {LatentInputs{15, 1}, LatentInputs{9, 4}, LatentInputs{0, 16}}) {
    for (const std::size_t count : {1u, 95u, 96u, 150u}) {
      SCOPED_TRACE(testing::Message() << latents.count << " latents, " << count << " samples");
      const NerfCase nerf(kUsualDensity, kUsualColor, count);
      const NerfResults results = run(nerf, {{0, count}}, true, false, latents),
                        without = run(nerf, {{0, count}});
      PlainNerf plain = nerf.plain(rounding());
      const auto first = static_cast<std::size_t>(latents.first);
      const auto each = static_cast<std::size_t>(latents.count);
      Values expected(each * count);
      for (std::size_t s = 0; s < count; ++s) {
        Values d_direction;
        plain.backward(nerf.features_of(s), nerf.direction_of(s), nerf.d_raw_of(s), &d_direction);
        for (std::size_t l = 0; l < each; ++l) expected[l * count + s] = d_direction[first + l];
      }
      expect_near(unpadded(results.d_latents, each, nerf), expected, 1e-4, rounding());
      for (std::size_t i = 0; i < without.d_features.size(); ++i) {
        ASSERT_EQ(results.d_features[i], without.d_features[i]) << i;
      }
    }
  }
}

TEST_P(FieldNerf, RoundedFactorsChangeTheRawValuesByLessThanAHundredth) {
  const NerfCase nerf(kUsualDensity, kUsualColor, 480);
  const NerfResults results = run(nerf, {{0, nerf.count}});
  const PlainNerf plain = nerf.plain();
  Values raw(4 * nerf.count);
  for (std::size_t s = 0; s < nerf.count; ++s) {
    const Values own = plain.forward(nerf.features_of(s), nerf.direction_of(s));
    for (std::size_t r = 0; r < own.size(); ++r) raw[r * nerf.count + s] = own[r];
  }
  EXPECT_LT(relative_error(unpadded(results.raw, 4, nerf), raw), 0.01);
}

TEST_P(FieldNerf, EvaluatesTheDensityAloneWithoutAColorNetwork) {
  const NerfCase nerf(kUsualDensity, kUsualColor, 70);
  const NerfResults results = run(nerf, {{0, nerf.count}}, false);
  PlainNerf plain = nerf.plain(rounding());
  Values raw(nerf.count), d_features(nerf.inputs * nerf.count);
  for (std::size_t s = 0; s < nerf.count; ++s) {
    const Values features = nerf.features_of(s);
    raw[s] = plain.density.forward(features)[0];
    Values d_output(16);
    d_output[0] = nerf.d_raw[s];
    const Values d = plain.density.backward(features, d_output, plain.d_density_weights);
    for (std::size_t i = 0; i < d.size(); ++i) d_features[i * nerf.count + s] = d[i];
  }
  expect_near(unpadded(results.raw, 1, nerf), raw, 1e-4, rounding());
  expect_near(unpadded(results.d_features, nerf.inputs, nerf), d_features, 1e-4, rounding());
  expect_near(values_of(results.d_density_weights), plain.d_density_weights, 1e-3, rounding());
  for (std::size_t i = nerf.stride; i < 4 * nerf.stride; ++i) ASSERT_EQ(results.raw[i], kUntouched);
  for (const float d : results.d_color_weights.span()) ASSERT_EQ(d, 0);
}

TEST_P(FieldNerf, ASampleDoesNotDependOnTheRangeItIsProcessedIn) {
  const NerfCase nerf(kUsualDensity, kUsualColor, 250);
  const NerfResults whole = run(nerf, {{0, 250}});
  const NerfResults parts = run(nerf, {{208, 250}, {0, 16}, {16, 192}, {192, 208}});
  for (std::size_t s = 0; s < nerf.count; ++s) {
    for (std::size_t r = 0; r < 4; ++r) {
      ASSERT_EQ(whole.raw[r * nerf.stride + s], parts.raw[r * nerf.stride + s]);
    }
    for (std::size_t i = 0; i < nerf.inputs; ++i) {
      ASSERT_EQ(whole.d_features[i * nerf.stride + s], parts.d_features[i * nerf.stride + s]);
    }
  }
}

TEST_P(FieldNerf, GradientsMayReplaceTheFeatures) {
  const NerfCase nerf(kUsualDensity, kUsualColor, 192);
  const NerfResults apart = run(nerf, {{0, 192}}), in_place = run(nerf, {{0, 192}}, true, true);
  for (std::size_t i = 0; i < apart.d_features.size(); ++i) {
    ASSERT_EQ(apart.d_features[i], in_place.d_features[i]);
  }
  for (std::size_t i = 0; i < apart.d_density_weights.size(); ++i) {
    ASSERT_EQ(apart.d_density_weights[i], in_place.d_density_weights[i]);
  }
}

TEST_P(FieldNerf, ValuesAfterTheLastSampleHaveNoEffect) {
  NerfCase nerf(kUsualDensity, kUsualColor, 53);
  const NerfResults expected = run(nerf, {{0, 53}});
  for (std::size_t s = 53; s < nerf.stride; ++s) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < nerf.inputs; ++i) nerf.features[i * nerf.stride + s] = kNan;
    for (std::size_t r = 0; r < 4; ++r) nerf.d_raw[r * nerf.stride + s] = kNan;
    nerf.rays[s] = std::numeric_limits<std::uint32_t>::max();
  }
  const NerfResults found = run(nerf, {{0, 53}});
  for (std::size_t i = 0; i < expected.d_density_weights.size(); ++i) {
    ASSERT_EQ(found.d_density_weights[i], expected.d_density_weights[i]);
  }
  for (std::size_t i = 0; i < expected.d_color_weights.size(); ++i) {
    ASSERT_EQ(found.d_color_weights[i], expected.d_color_weights[i]);
  }
}

TEST(PlainNerf, HasTheGradientsOfDifferences) {
  MlpConfig density = kUsualDensity, color = kUsualColor;
  density.activation = color.activation = LayerActivation::softplus;
  const NerfCase nerf(density, color, 1);
  PlainNerf plain = nerf.plain();
  Values features = nerf.features_of(0);
  Values direction = nerf.direction_of(0), d_direction;
  const Values d_raw = nerf.d_raw_of(0);
  const Values d_features = plain.backward(features, direction, d_raw, &d_direction);
  const auto difference = [&](double& value) {
    constexpr double kStep = 1e-6;
    const auto loss_at = [&](double at) {
      value = at;
      const Values raw = plain.forward(features, direction);
      double sum = 0;
      for (std::size_t r = 0; r < raw.size(); ++r) sum += d_raw[r] * raw[r];
      return sum;
    };
    const double before = value;
    const double slope = (loss_at(before + kStep) - loss_at(before - kStep)) / (2 * kStep);
    value = before;
    return slope;
  };
  for (std::size_t i = 0; i < features.size(); ++i) {
    EXPECT_NEAR(d_features[i], difference(features[i]), 1e-6);
  }
  for (std::size_t i = 0; i < direction.size(); ++i) {
    EXPECT_NEAR(d_direction[i], difference(direction[i]), 1e-6);
  }
  for (std::size_t i = 0; i < plain.d_density_weights.size(); i += 13) {
    EXPECT_NEAR(plain.d_density_weights[i], difference(plain.density.weights()[i]), 1e-6);
  }
  for (std::size_t i = 0; i < plain.d_color_weights.size(); i += 31) {
    EXPECT_NEAR(plain.d_color_weights[i], difference(plain.color.weights()[i]), 1e-6);
  }
}

}  // namespace
}  // namespace mote
