// Each activation: its value by definition, and its vjp against differences.
#include "fields/networks/activation.h"

#include "support/gradient_fixture.h"

namespace mote {
namespace {

double defined(LayerActivation activation, double x) {
  switch (activation) {
    case LayerActivation::none:
      return x;
    case LayerActivation::relu:
      return x > 0 ? x : 0;
    case LayerActivation::leaky_relu:
      return x > 0 ? x : 0.01 * x;
    case LayerActivation::silu:
      return x / (1 + std::exp(-x));
    case LayerActivation::exponential:
      return std::exp(x);
    case LayerActivation::sine:
      return std::sin(x);
    case LayerActivation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case LayerActivation::squareplus:
      return 0.5 * (10 * x + std::sqrt(100 * x * x + 4)) / 10;
    case LayerActivation::softplus:
      return std::log(1 + std::exp(10 * x)) / 10;
    case LayerActivation::tanh:
      return std::tanh(x);
  }
  return NAN;
}

class Activations : public Gradient {};

TEST_F(Activations, HaveTheValuesAndGradientsOfTheirDefinitions) {
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    const auto activation = static_cast<LayerActivation>(i);
    visit_activation(activation, [&]<LayerActivation ACTIVATION>() {
      for (int trial = 0; trial < 50; ++trial) {
        const Values x = random(1, -3, 3);
        const double y = activate<ACTIVATION>(x[0]);
        EXPECT_NEAR(y, defined(activation, x[0]), 1e-6 * (1 + std::abs(y)))
            << kActivationNames[i] << " of " << x[0];
        expect_gradient([](const Values& at) { return Values{activate<ACTIVATION>(at[0])}; }, x,
                        {1}, {activate_vjp<ACTIVATION>(x[0], y, 1.0)});
      }
    });
  }
}

TEST_F(Activations, HaveTheCurvatureOfTheirSlopes) {
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    SCOPED_TRACE(kActivationNames[i]);
    visit_activation(static_cast<LayerActivation>(i), [&]<LayerActivation ACTIVATION>() {
      const auto slope = [](const Values& at) {
        return Values{activate_vjp<ACTIVATION>(at[0], activate<ACTIVATION>(at[0]), 1.0)};
      };
      for (int trial = 0; trial < 50; ++trial) {
        const Values x = random(1, -3, 3);
        expect_gradient(slope, x, {1},
                        {activation_curvature<ACTIVATION>(x[0], activate<ACTIVATION>(x[0]))});
      }
    });
  }
}

TEST_F(Activations, StayFiniteForLargeArguments) {
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    visit_activation(static_cast<LayerActivation>(i), [&]<LayerActivation ACTIVATION>() {
      for (const float x : {-1000.0f, -100.0f, 100.0f, 1000.0f}) {
        const float y = activate<ACTIVATION>(x);
        EXPECT_TRUE(std::isfinite(y)) << kActivationNames[i] << " of " << x;
        EXPECT_TRUE(std::isfinite(activate_vjp<ACTIVATION>(x, y, 1.0f))) << kActivationNames[i];
        EXPECT_TRUE(std::isfinite(activation_curvature<ACTIVATION>(x, y))) << kActivationNames[i];
      }
    });
  }
}

}  // namespace
}  // namespace mote
