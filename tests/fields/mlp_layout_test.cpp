// The layers of networks, against numbers that instant-ngp prints.
#include "fields/networks/mlp_layout.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace mote
