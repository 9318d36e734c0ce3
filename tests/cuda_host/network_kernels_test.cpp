// The fused networks on tensor cores against plain loops in double.
#include <algorithm>
#include <cmath>

#include "cuda/kernels/fields/network_forward.h"
#include "cuda/kernels/fields/network_gradients.h"
#include "cuda/kernels/fields/network_weights.h"
#include "field_kernels_fixture.h"
#include "support/plain_mlp.h"

namespace mote::cuda {
namespace {

constexpr float kNetworkLossScale = 64;

using NetworkKernels = OnTheHostRun;

double through_half(double value) {
  return as_half(value);
}

/// A network with some samples.
struct NetworkProblem {
  explicit NetworkProblem(const MlpConfig& c, unsigned samples = 150)
      : config(c), layers(mlp_layers(c)), count(samples), stride((samples + 15) / 16 * 16) {
    std::mt19937 random(3);
    // Exponentials of exponentials grow beyond all halves.
    const double most = c.activation == LayerActivation::exponential ? 0.1 : 0.5;
    const double size = std::min(most, 2.5 / std::sqrt(c.neurons));
    weights = random_values(random, mlp_parameters(c), size);
    shape = network_shape(c, mlp_padded(c.inputs) / kBlockValues);
    for (unsigned i = 0; i < count; ++i) {
      Values input = random_values(random, static_cast<std::size_t>(c.inputs), 1);
      for (double& value : input) value = as_half(value);
      input.resize(static_cast<std::size_t>(mlp_padded(c.inputs)));
      inputs.push_back(input);
      d_values.push_back(random_values(random, static_cast<std::size_t>(c.outputs), 1));
    }
    planes = (c.inputs + 1) / 2;
  }
  std::vector<std::uint32_t> features() const {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(planes) * stride);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t plane = 0; plane < static_cast<std::size_t>(planes); ++plane) {
        words[plane * stride + i] = half_pair(static_cast<float>(inputs[i][2 * plane]),
                                              static_cast<float>(inputs[i][2 * plane + 1]));
      }
    }
    return words;
  }
  std::vector<float> d_planes() const {
    std::vector<float> values(static_cast<std::size_t>(config.outputs) * stride, NAN);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t o = 0; o < d_values[i].size(); ++o) {
        values[o * stride + i] = static_cast<float>(d_values[i][o]);
      }
    }
    return values;
  }
  std::size_t blocks() const { return static_cast<std::size_t>(network_blocks(shape)); }

  MlpConfig config;
  std::vector<MlpLayer> layers;
  NetworkShape shape{};
  unsigned count;
  std::size_t stride;
  int planes;
  Values weights;
  std::vector<Values> inputs, d_values;
  const unsigned* known = nullptr;
  unsigned at_once = kLayerSamples;
};

struct DeviceWeights {
  explicit DeviceWeights(const NetworkProblem& p)
      : blocks(zeros_on_device<uint4>(p.blocks() * kBlockLanes)),
        transposed(zeros_on_device<uint4>(p.blocks() * kBlockLanes)) {
    const auto weights = on_device(std::vector<float>(p.weights.begin(), p.weights.end()));
    run_network_weights({.shape = p.shape,
                         .weights = weights.data(),
                         .padded_inputs = mlp_padded(p.config.inputs),
                         .grid_features = 0,
                         .blocks = blocks.data(),
                         .transposed = transposed.data()},
                        nullptr);
    check(cudaStreamSynchronize(nullptr), "a test");
  }
  DeviceBuffer<uint4> blocks, transposed;
};

NetworkArgs network_args(const NetworkProblem& p, const DeviceWeights& weights,
                         const std::uint32_t* features, float* values, uint4* space) {
  return {.shape = p.shape,
          .weights = weights.blocks.data(),
          .features = features,
          .planes = p.planes,
          .values = values,
          .outputs = p.config.outputs,
          .count = p.count,
          .stride = p.stride,
          .known = p.known,
          .space = space,
          .at_once = p.at_once};
}

DeviceBuffer<uint4> space_for(const NetworkProblem& p, LayerUse use) {
  return zeros_on_device<uint4>(network_space(p.shape, p.count, use));
}

std::vector<float> evaluated(const NetworkProblem& p) {
  const DeviceWeights weights(p);
  const auto features = on_device(p.features());
  auto values = zeros_on_device<float>(static_cast<std::size_t>(p.config.outputs) * p.stride);
  auto space = space_for(p, LayerUse::values);
  run_network_forward(network_args(p, weights, features.data(), values.data(), space.data()),
                      nullptr);
  return from_device(values);
}

struct NetworkGradients {
  std::vector<float> weights;
  std::vector<std::uint32_t> features;
};

NetworkGradients gradients(const NetworkProblem& p) {
  const DeviceWeights weights(p);
  const auto features = on_device(p.features());
  const auto d_values = on_device(p.d_planes());
  const unsigned parts = network_gradient_parts(p.shape, p.count);
  DeviceBuffer<float4> sums("sums of a test");
  sums.resize_discard(parts * p.blocks() * 2 * kBlockLanes);
  auto d_features = zeros_on_device<std::uint32_t>(features.size());
  auto d_weights = zeros_on_device<float>(p.weights.size());
  auto space = space_for(p, LayerUse::gradients);
  run_network_gradients(
      {.forward = network_args(p, weights, features.data(), nullptr, space.data()),
       .transposed = weights.transposed.data(),
       .d_values = d_values.data(),
       .loss_scale = kNetworkLossScale,
       .d_features = d_features.data(),
       .parts = sums.data(),
       .part_count = parts},
      nullptr);
  run_weight_gradients({.shape = p.shape,
                        .parts = sums.data(),
                        .part_count = parts,
                        .padded_inputs = mlp_padded(p.config.inputs),
                        .loss_scale = kNetworkLossScale,
                        .gradients = d_weights.data()},
                       nullptr);
  return {from_device(d_weights), from_device(d_features)};
}

void expect_double_values(const NetworkProblem& p) {
  const PlainMlp reference(p.layers, p.weights, through_half);
  const std::vector<float> values = evaluated(p);
  for (std::size_t i = 0; i < p.count; ++i) {
    const Values expected = reference.forward(p.inputs[i]);
    for (std::size_t o = 0; o < static_cast<std::size_t>(p.config.outputs); ++o) {
      ASSERT_NEAR(values[o * p.stride + i], expected[o], 4e-3 * (1 + std::abs(expected[o])))
          << "sample " << i << ", output " << o;
    }
  }
}

double largest_of(const Values& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

void expect_double_gradients(const NetworkProblem& p, double tolerance = 4e-3) {
  const PlainMlp reference(p.layers, p.weights, through_half);
  const NetworkGradients own = gradients(p);
  Values d_weights(p.weights.size());
  std::vector<Values> d_features;
  double largest_feature = 0;
  for (std::size_t i = 0; i < p.count; ++i) {
    Values d = p.d_values[i];
    d.resize(kBlockValues);
    d_features.push_back(reference.backward(p.inputs[i], d, d_weights));
    largest_feature = std::max(largest_feature, largest_of(d_features.back()));
  }
  const double largest = largest_of(d_weights);
  ASSERT_GT(largest, 0.1);
  for (std::size_t i = 0; i < d_weights.size(); ++i) {
    ASSERT_NEAR(own.weights[i], d_weights[i], tolerance * largest) << "weight " << i;
  }
  for (std::size_t i = 0; i < p.count; ++i) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(2 * p.planes); ++k) {
      const std::uint32_t word = own.features[k / 2 * p.stride + i];
      ASSERT_NEAR((k % 2 == 0 ? low_of(word) : high_of(word)) / kNetworkLossScale, d_features[i][k],
                  3 * tolerance * largest_feature)
          << "sample " << i << ", input " << k;
    }
  }
}

MlpConfig config_of(int neurons, int hidden_layers, int inputs = 32, int outputs = 16) {
  return {.inputs = inputs, .outputs = outputs, .neurons = neurons, .hidden_layers = hidden_layers};
}

TEST_F(NetworkKernels, OfEachWidthHaveTheValuesAndGradientsOfPlainLoops) {
  for (const int neurons : {16, 32, 64, 128}) {
    for (const int hidden_layers : {1, 2, 3, 4}) {
      SCOPED_TRACE(testing::Message() << neurons << " neurons, " << hidden_layers << " layers");
      // More samples than a tile for one number of layers, which takes long.
      const NetworkProblem p(config_of(neurons, hidden_layers), hidden_layers == 2 ? 150 : 40);
      expect_double_values(p);
      expect_double_gradients(p);
    }
  }
}

TEST_F(NetworkKernels, TakeAnyNumberOfInputsAndUpTo16Outputs) {
  for (const int inputs : {2, 10, 33, 48, 70}) {
    for (const int outputs : {1, 3, 4}) {
      SCOPED_TRACE(testing::Message() << inputs << " inputs, " << outputs << " outputs");
      const NetworkProblem p(config_of(32, 2, inputs, outputs), 40);
      expect_double_values(p);
      expect_double_gradients(p);
    }
  }
}

TEST_F(NetworkKernels, HaveEachActivation) {
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    for (const int neurons : {16, 64}) {
      SCOPED_TRACE(testing::Message() << kActivationNames[i] << ", " << neurons << " neurons");
      MlpConfig config = config_of(neurons, 3, 16, 4);
      config.activation = config.output_activation = static_cast<LayerActivation>(i);
      const NetworkProblem p(config, 40);
      expect_double_values(p);
      // Derivatives follow from arguments and values that are rounded to halves.
      expect_double_gradients(p, 1e-2);
    }
  }
}

TEST_F(NetworkKernels, ReadWeightsThroughTheCachesIfSharedMemoryIsTooSmall) {
  cuda_host::machine().major = 7;
  cuda_host::machine().minor = 5;  // 64 KB
  for (const MlpConfig& config : {config_of(128, 3), config_of(64, 9, 16, 3)}) {
    const NetworkProblem p(config, 70);
    expect_double_values(p);
    expect_double_gradients(p);
  }
}

TEST_F(NetworkKernels, TrainMoreLayersThanSharedMemoryHolds) {
  cuda_host::machine().major = 7;
  cuda_host::machine().minor = 5;
  const NetworkProblem p(config_of(128, 20, 4, 1), 16);
  ASSERT_EQ(network_space(p.shape, p.count, LayerUse::values), 0u);
  ASSERT_GT(network_space(p.shape, p.count, LayerUse::gradients), 0u)
      << "its gradients go layer by layer";
  expect_double_values(p);
  expect_double_gradients(p, 1e-2);
}

TEST_F(NetworkKernels, EvaluateLayersWiderThanRegistersOneAfterAnother) {
  // The last blocks are not full, and neither is the last tile of blocks.
  for (const MlpConfig& config :
       {config_of(144, 1, 10, 3), config_of(272, 2, 40, 16), config_of(180, 3)}) {
    SCOPED_TRACE(testing::Message() << config.neurons << " neurons");
    const NetworkProblem p(config, 70);
    expect_double_values(p);
    expect_double_gradients(p);
  }
}

TEST_F(NetworkKernels, HaveEachActivationOfWideLayers) {
  cuda_host::machine().check_accesses = false;  // other tests check the same kernels
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    SCOPED_TRACE(kActivationNames[i]);
    MlpConfig config = config_of(132, 2, 4, 2);
    config.activation = config.output_activation = static_cast<LayerActivation>(i);
    const NetworkProblem p(config, 20);
    expect_double_values(p);
    expect_double_gradients(p, 1e-2);
  }
}

TEST_F(NetworkKernels, HaveTheSameGradientsOfWideLayersInAnyOrderBitForBit) {
  cuda_host::machine().check_accesses = false;            // other tests check the same kernels
  const NetworkProblem p(config_of(144, 2, 10, 3), 600);  // several parts
  const NetworkGradients first = gradients(p);
  ASSERT_GT(network_gradient_parts(p.shape, p.count), 1u);
  cuda_host::machine().schedule_seed = 5;
  cuda_host::machine().multiprocessors = 7;
  const NetworkGradients other = gradients(p);
  EXPECT_EQ(other.weights, first.weights);
  EXPECT_EQ(other.features, first.features);
}

TEST_F(NetworkKernels, AddUpGroupsOfSamplesOfWideLayers) {
  NetworkProblem p(config_of(144, 1, 10, 3), 300);
  p.at_once = 128;
  expect_double_values(p);
  expect_double_gradients(p);
}

TEST_F(NetworkKernels, EvaluateAsManySamplesOfWideLayersAsTheDeviceKnows) {
  NetworkProblem p(config_of(144, 2, 10, 3), 300);
  p.at_once = 128;  // the last group has no samples, the one before it has some
  const auto known = on_device(std::vector<unsigned>{150});
  p.known = known.data();
  const std::vector<float> values = evaluated(p);
  NetworkProblem fewer(config_of(144, 2, 10, 3), 150);
  const std::vector<float> expected = evaluated(fewer);
  for (std::size_t i = 0; i < p.count; ++i) {
    EXPECT_EQ(values[i], i < 150 ? expected[i] : 0.0f) << i;
  }
  fewer.at_once = 128;
  const NetworkGradients own = gradients(p), of_fewer = gradients(fewer);
  for (std::size_t i = 0; i < own.weights.size(); ++i) {
    ASSERT_NEAR(own.weights[i], of_fewer.weights[i], 1e-4 * (1 + std::abs(of_fewer.weights[i])));
  }
}

TEST_F(NetworkKernels, StayNearPlainLoopsIfTensorCoresTruncateSums) {
  cuda_host::machine().truncates_matrix_sums = true;
  const NetworkProblem p(config_of(64, 4));
  expect_double_values(p);
  expect_double_gradients(p);
}

TEST_F(NetworkKernels, HaveTheSameGradientsInAnyOrderBitForBit) {
  const NetworkProblem p(config_of(64, 2), 700);  // several blocks
  const NetworkGradients first = gradients(p);
  ASSERT_GT(network_gradient_parts(p.shape, p.count), 1u);
  for (const std::uint64_t seed : {1u, 2u}) {
    cuda_host::machine().schedule_seed = seed;
    cuda_host::machine().multiprocessors = 7;
    const NetworkGradients other = gradients(p);
    EXPECT_EQ(other.weights, first.weights);
    EXPECT_EQ(other.features, first.features);
  }
}

TEST_F(NetworkKernels, AddUpTilesThatOneBlockTakesAfterAnother) {
  // 256 parts of 128 samples, and one more tile.
  const NetworkProblem p(config_of(16, 1, 4, 1), 256 * 256 + 5);
  ASSERT_EQ(network_gradient_parts(p.shape, p.count), 256u);
  cuda_host::machine().check_accesses = false;  // the other tests check the same kernel
  const PlainMlp reference(p.layers, p.weights, through_half);
  Values d_weights(p.weights.size());
  for (std::size_t i = 0; i < p.count; ++i) {
    Values d = p.d_values[i];
    d.resize(kBlockValues);
    reference.backward(p.inputs[i], d, d_weights);
  }
  const NetworkGradients own = gradients(p);
  const double largest = largest_of(d_weights);
  for (std::size_t i = 0; i < d_weights.size(); ++i) {
    ASSERT_NEAR(own.weights[i], d_weights[i], 4e-3 * largest) << i;
  }
}

TEST(NetworkShapes, HavePowersOfTwoUpTo128NeuronsAndWholeBlocksAbove) {
  const auto width = [](int neurons) {
    return kBlockValues * network_shape(config_of(neurons, 2), 2).width_blocks;
  };
  EXPECT_EQ(width(4), 16);
  EXPECT_EQ(width(48), 64);
  EXPECT_EQ(width(128), 128);
  EXPECT_EQ(width(132), 144);
  EXPECT_EQ(width(272), 272);
  EXPECT_FALSE(is_wide(network_shape(config_of(128, 2), 2)));
  EXPECT_TRUE(is_wide(network_shape(config_of(132, 2), 2)));
}

TEST(NetworkBlocks, LaneOrderTakesEachFeatureOnce) {
  for (const int features : {2, 4, 8}) {
    for (const int levels : {4, 8, 16}) {
      std::vector<int> found(static_cast<std::size_t>(levels * features));
      const int inputs = lane_order_blocks(levels, features) * kBlockValues;
      for (int k = 0; k < inputs; ++k) {
        const int input = lane_order_input(features, k);
        if (input < levels * features) ++found[static_cast<std::size_t>(input)];
      }
      EXPECT_EQ(std::ranges::count(found, 1), levels * features) << features << ' ' << levels;
    }
  }
}

}  // namespace
}  // namespace mote::cuda
