// A layer of Gaussians: its layout, its values by definition, and its vjps against differences.
#include "fields/networks/gaussian_layer.h"

#include "fields/applications/nerf_layout.h"
#include "fields/initial_parameters.h"
#include "support/gradient_fixture.h"
#include "support/thrown_by.h"
#include "support/tiny_field.h"

namespace mote {
namespace {

class Gaussians : public Gradient {};

TEST_F(Gaussians, HaveTheValuesAndGradientsOfTheirDefinition) {
  for (int trial = 0; trial < 50; ++trial) {
    const Values v = random(3);  // feature, centre, sharpness
    const double exponent = gaussian_exponent(v[0], v[1], v[2]);
    EXPECT_NEAR(gaussian(exponent), std::exp(-std::pow(v[2] * (v[0] - v[1]), 2)), 1e-12);
    const auto own = gaussian_exponent_vjp(v[0], v[1], v[2], 0.75);
    expect_gradient([](const Values& at) { return Values{gaussian_exponent(at[0], at[1], at[2])}; },
                    v, {0.75}, {own.feature, -own.feature, own.sharpness});
    expect_gradient([](const Values& at) { return Values{gaussian(at[0])}; }, {exponent}, {0.5},
                    {gaussian_vjp(gaussian(exponent), 0.5)});
  }
}

TEST_F(Gaussians, HaveTheRatesOfDifferencesAndTheirGradients) {
  for (int trial = 0; trial < 50; ++trial) {
    const Values v = random(4);  // feature, its rate, centre, sharpness
    const double rate = gaussian_exponent_rate(v[0], v[1], v[2], v[3]);
    expect_gradient(
        [&](const Values& at) {
          return Values{gaussian_exponent(v[0] + at[0] * v[1], v[2], v[3])};
        },
        {0}, {1}, {rate});
    const double value = gaussian(gaussian_exponent(v[0], v[2], v[3]));
    expect_gradient(
        [&](const Values& at) {
          return Values{gaussian(gaussian_exponent(v[0] + at[0] * v[1], v[2], v[3]))};
        },
        {0}, {1}, {gaussian_rate(value, rate)});
    const auto own = gaussian_exponent_rate_vjp(v[0], v[1], v[2], v[3], 0.75);
    expect_gradient(
        [](const Values& at) { return Values{gaussian_exponent_rate(at[0], at[1], at[2], at[3])}; },
        v, {0.75}, {own.feature, own.feature_rate, -own.feature, own.sharpness});
  }
}

TEST_F(Gaussians, StayNormalFarFromTheirCenters) {
  const float far = gaussian(gaussian_exponent(1e6f, 0.0f, 1e6f));
  EXPECT_GT(far, 1e-38f);
  EXPECT_LT(far, 1e-37f);
}

TEST_F(Gaussians, HaveWeightsThenCentersThenSharpnesses) {
  const GaussianLayout layout = gaussian_layout({.inputs = 20, .outputs = 3, .neurons = 12});
  EXPECT_EQ(layout.weights.inputs, 12);
  EXPECT_EQ(layout.weights.outputs, 16);
  EXPECT_EQ(layout.centers, 12u * 16);
  EXPECT_EQ(layout.sharpness, 12u * 16 + 12 * 32);
  EXPECT_EQ(layout.parameters, 12u * 16 + 2 * 12 * 32);
}

TEST_F(Gaussians, BeginWideAroundZero) {
  FieldConfig config = tiny_field_config(FieldApplication::sdf);
  config.network = {.kind = NetworkKind::gaussians, .neurons = 64};
  const GaussianLayout layout = *simple_field_layout(FieldApplication::sdf, config).gaussians;
  const std::vector<float> parameters = initial_parameters(FieldApplication::sdf, config, 5);
  double mean = 0;
  for (std::size_t k = 0; k < layout.count; ++k) {
    float exponent = 0;
    for (std::size_t i = k * layout.inputs; i < (k + 1) * layout.inputs; ++i) {
      exponent +=
          gaussian_exponent(0.0f, parameters[layout.centers + i], parameters[layout.sharpness + i]);
    }
    mean += static_cast<double>(exponent) / static_cast<double>(layout.count);
  }
  EXPECT_NEAR(mean, 1, 0.15);
}

TEST_F(Gaussians, AreRefusedForANerf) {
  FieldConfig config = complete_nerf_config({}, 1);
  config.network->kind = NetworkKind::gaussians;
  EXPECT_EQ(thrown_by([&] { nerf_layout(config); }).where(), "network/otype");
}

}  // namespace
}  // namespace mote
