// The layers of networks, against numbers that instant-ngp prints.
#include "fields/networks/mlp_layout.h"

#include <gtest/gtest.h>

#include "fields/applications/nerf_layout.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

TEST(MlpLayout, HasAsManyParametersAsInstantNgp) {
  const MlpConfig density{.inputs = 32, .outputs = 16, .hidden_layers = 1};
  const MlpConfig color{.inputs = 32, .outputs = 3, .hidden_layers = 2};
  EXPECT_EQ(mlp_parameters(density) + mlp_parameters(color), 10'240u);
}

TEST(MlpLayout, PadsInputsAndOutputs) {
  const std::vector<MlpLayer> layers =
      mlp_layers({.inputs = 5, .outputs = 17, .neurons = 32, .hidden_layers = 2});
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_EQ(layers[0].inputs, 16);
  EXPECT_EQ(layers[0].outputs, 32);
  EXPECT_EQ(layers[1].first, 16u * 32);
  EXPECT_EQ(layers[2].outputs, 32);
  EXPECT_EQ(layers[2].first, 16u * 32 + 32 * 32);
  EXPECT_EQ(layers[2].activation, LayerActivation::none);
}

TEST(MlpLayout, DoesNotPadHiddenLayers) {
  const std::vector<MlpLayer> layers =
      mlp_layers({.inputs = 5, .outputs = 3, .neurons = 20, .hidden_layers = 2});
  EXPECT_EQ(layers[1].inputs, 20);
  EXPECT_EQ(layers[1].outputs, 20);
  EXPECT_EQ(layers[2].first, 16u * 20 + 20 * 20);
}

TEST(MlpLayout, IsOneMatrixWithoutHiddenLayers) {
  const std::vector<MlpLayer> layers = mlp_layers({.inputs = 5,
                                                   .outputs = 3,
                                                   .neurons = 20,
                                                   .hidden_layers = 0,
                                                   .activation = LayerActivation::relu,
                                                   .output_activation = LayerActivation::sigmoid});
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].inputs, 16);
  EXPECT_EQ(layers[0].outputs, 16);
  EXPECT_EQ(layers[0].activation, LayerActivation::sigmoid);
}

TEST(MlpLayout, RefusesOddWidthsForANerf) {
  FieldConfig config = complete_nerf_config({}, 1);
  config.color_network->neurons = 20;
  EXPECT_EQ(thrown_by([&] { nerf_layout(config); }).where(), "rgb_network/n_neurons");
}

}  // namespace
}  // namespace mote
