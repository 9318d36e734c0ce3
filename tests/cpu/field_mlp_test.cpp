// The network kernels of each instruction set against plain loops in double, and these against
// differences.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "cpu/kernels.h"
#include "support/plain_mlp.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

class FieldMlp : public testing::TestWithParam<const IsaEntry*> {
 protected:
  static const CpuKernels& kernels() { return *GetParam()->kernels; }

  void expect_plain_values(const MlpConfig& config, std::size_t count);
};

INSTANTIATE_TEST_SUITE_P(On, FieldMlp, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

void FieldMlp::expect_plain_values(const MlpConfig& config, std::size_t count) {
  std::mt19937 random(3);
  const std::vector<MlpLayer> layers = mlp_layers(config);
  const auto inputs = static_cast<std::size_t>(layers.front().inputs);
  const auto outputs = static_cast<std::size_t>(layers.back().outputs);
  const Values weights = random_values(random, mlp_parameters(config), 0.3);
  const std::size_t stride = field_plane_stride(count);
  Values input = random_values(random, inputs * stride, 1);
  Values d_output = random_values(random, outputs * stride, 1);
  std::size_t all_outputs = 0;
  for (const MlpLayer& layer : layers) all_outputs += static_cast<std::size_t>(layer.outputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    for (std::size_t i = count; i < stride; ++i) d_output[o * stride + i] = 0;
  }
  const Buffer<float> weight_floats = floats_of(weights),
                      transposed_floats = floats_of(transposed_weights(layers, weights)),
                      input_floats = floats_of(input), d_output_floats = floats_of(d_output);
  Buffer<float> output(outputs * stride), plain_output(outputs * stride),
      arguments(all_outputs * stride), d_input(inputs * stride);
  Buffer<float> d_weights = floats_of(Values(weights.size()));
  const auto layer_count = static_cast<int>(layers.size());
  MlpParams forward{
      layers.data(),    layer_count, weight_floats.data(), input_floats.data(), output.data(),
      arguments.data(), stride};
  kernels().mlp_forward(forward, 0, 16);
  kernels().mlp_forward(forward, 16, count);
  forward.output = plain_output.data();
  forward.arguments = nullptr;
  kernels().mlp_forward(forward, 0, count);
  const MlpBackwardParams backward{layers.data(),       layer_count,      transposed_floats.data(),
                                   input_floats.data(), arguments.data(), d_output_floats.data(),
                                   d_input.data(),      d_weights.data(), stride};
  kernels().mlp_backward(backward, 0, 16);
  kernels().mlp_backward(backward, 16, count);

  const PlainMlp plain(layers, weights);
  Values expected_d_weights(weights.size());
  for (std::size_t at = 0; at < count; ++at) {
    Values own, d;
    for (std::size_t i = 0; i < inputs; ++i) own.push_back(input[i * stride + at]);
    for (std::size_t o = 0; o < outputs; ++o) d.push_back(d_output[o * stride + at]);
    const Values expected = plain.forward(own);
    for (std::size_t o = 0; o < outputs; ++o) {
      ASSERT_NEAR(output[o * stride + at], expected[o], 1e-4 * (1 + std::abs(expected[o])));
      ASSERT_EQ(output[o * stride + at], plain_output[o * stride + at]);
    }
    const Values expected_d = plain.backward(own, d, expected_d_weights);
    for (std::size_t i = 0; i < inputs; ++i) {
      ASSERT_NEAR(d_input[i * stride + at], expected_d[i], 1e-4 * (1 + std::abs(expected_d[i])));
    }
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    ASSERT_NEAR(d_weights[i], expected_d_weights[i], 1e-3 * (1 + std::abs(expected_d_weights[i])));
  }
}

TEST_P(FieldMlp, HasTheValuesAndGradientsOfPlainLoops) {
  for (const int neurons : {16, 32, 64, 128}) {
    SCOPED_TRACE(neurons);
    expect_plain_values({.inputs = 32, .outputs = 16, .neurons = neurons, .hidden_layers = 2}, 150);
  }
  expect_plain_values({.inputs = 5, .outputs = 3, .hidden_layers = 1}, 17);
  expect_plain_values({.inputs = 80, .outputs = 48, .neurons = 256, .hidden_layers = 3}, 50);
}

TEST_P(FieldMlp, HasEachActivation) {
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    SCOPED_TRACE(kActivationNames[i]);
    const auto activation = static_cast<LayerActivation>(i);
    expect_plain_values({.inputs = 16,
                         .outputs = 16,
                         .neurons = 16,
                         .hidden_layers = 1,
                         .activation = activation,
                         .output_activation = activation},
                        40);
  }
}

TEST(PlainMlp, HasTheGradientsOfDifferences) {
  std::mt19937 random(9);
  const MlpConfig config{.inputs = 16,
                         .outputs = 16,
                         .neurons = 16,
                         .hidden_layers = 2,
                         .activation = LayerActivation::softplus,
                         .output_activation = LayerActivation::sigmoid};
  PlainMlp plain(mlp_layers(config), random_values(random, mlp_parameters(config), 0.3));
  const Values d = random_values(random, 16, 1);
  Values input = random_values(random, 16, 1), d_weights(plain.weights().size());
  const Values d_input = plain.backward(input, d, d_weights);
  const auto loss = [&] {
    const Values output = plain.forward(input);
    double sum = 0;
    for (std::size_t o = 0; o < output.size(); ++o) sum += d[o] * output[o];
    return sum;
  };
  const auto difference = [&](double& value) {
    constexpr double kStep = 1e-6;
    const double before = value;
    value = before + kStep;
    const double above = loss();
    value = before - kStep;
    const double below = loss();
    value = before;
    return (above - below) / (2 * kStep);
  };
  for (std::size_t i = 0; i < input.size(); ++i) {
    EXPECT_NEAR(d_input[i], difference(input[i]), 1e-6);
  }
  for (std::size_t i = 0; i < d_weights.size(); i += 7) {
    EXPECT_NEAR(d_weights[i], difference(plain.weights()[i]), 1e-6);
  }
}

}  // namespace
}  // namespace mote
