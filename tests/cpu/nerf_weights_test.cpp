// A step of a NeRF's training with proposals, for each instruction set: the gradients of colours
// and distortion together, and those of the proposals, against differences.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "support/field_step.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

class NerfWeights : public testing::TestWithParam<const IsaEntry*> {
 protected:
  static const CpuKernels& kernels() { return *GetParam()->kernels; }
};

INSTANTIATE_TEST_SUITE_P(On, NerfWeights, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

/// Thin enough that rays do not end before their last sample, where losses would jump.
FieldStepOptions proposed() {
  return {.aabb_scale = 2, .loss = FieldLoss::l2, .scale = 0.3f, .rays = 200, .proposals = true};
}

double graded_loss(FieldStepper& stepper, const FieldStepCase& own) {
  const FieldStepResult result = stepper.forward();
  return 3 * (result.loss + static_cast<double>(own.request.distortion_weight) * result.distortion);
}

/// Compares the slope along a random direction with a difference of the fourth order.
template <class Parameter, class Moved>
void expect_slope(FieldStepper& stepper, const FieldStepCase& own,
                  const std::vector<float>& gradient, Parameter* parameters, std::mt19937& random,
                  const Moved& moved) {
  const std::vector before(parameters, parameters + gradient.size());
  std::vector<float> direction(gradient.size());
  double expected = 0, square = 0;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    direction[i] = random() % 2 == 0 ? 1.0f : -1.0f;
    expected += static_cast<double>(direction[i]) * static_cast<double>(gradient[i]);
    square += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
  }
  const auto loss_at = [&](double offset) {
    for (std::size_t i = 0; i < direction.size(); ++i) {
      parameters[i] = moved(before[i], static_cast<float>(offset) * direction[i]);
    }
    return graded_loss(stepper, own);
  };
  const auto slope = [&](double offset) {
    return (loss_at(offset) - loss_at(-offset)) / (2 * offset);
  };
  const double found = (4 * slope(0x1p-8) - slope(0x1p-7)) / 3;
  std::copy(before.begin(), before.end(), parameters);
  ASSERT_GT(square, 1e-10);
  EXPECT_NEAR(expected, found, 4e-3 * std::sqrt(square));
}

TEST_P(NerfWeights, GradientsOfColoursAndDistortionAreThoseOfDifferences) {
  for (const float weight : {0.0f, 1.0f}) {
    SCOPED_TRACE(weight);
    FieldStepCase own(proposed());
    own.request.distortion_weight = weight;
    FieldStepper stepper(own, kernels(), 2);
    const FieldStepOutcome outcome = stepper.step();
    ASSERT_GT(outcome.result.rays, 100u);
    ASSERT_GT(outcome.result.distortion, 1e-3);
    std::mt19937 random(23);
    for (int trial = 0; trial < 3; ++trial) {
      expect_slope(stepper, own, outcome.density, own.networks.data(), random,
                   [](float value, float offset) { return value + offset; });
      expect_slope(
          stepper, own, outcome.table, own.table.data(), random,
          [](std::uint16_t value, float offset) { return to_half(from_half(value) + offset); });
    }
  }
}

TEST_P(NerfWeights, DistortionChangesTheGradientOfTheDensityAlone) {
  FieldStepCase own(proposed());
  own.request.distortion_weight = 0;
  const FieldStepOutcome without = FieldStepper(own, kernels()).step();
  own.request.distortion_weight = 1;
  const FieldStepOutcome with = FieldStepper(own, kernels()).step();
  EXPECT_EQ(with.result.loss, without.result.loss);
  EXPECT_NE(with.density, without.density);
  EXPECT_EQ(with.color, without.color);
}

TEST_P(NerfWeights, TheNumberOfThreadsChangesNoBit) {
  const FieldStepCase own(proposed());
  const FieldStepOutcome expected = FieldStepper(own, kernels(), 1).step();
  EXPECT_GT(expected.result.interlevel, 0);
  const FieldStepOutcome found = FieldStepper(own, kernels(), 3).step();
  EXPECT_EQ(found.density, expected.density);
  EXPECT_EQ(found.table, expected.table);
  EXPECT_EQ(found.result.loss, expected.result.loss);
  EXPECT_EQ(found.result.distortion, expected.result.distortion);
  EXPECT_EQ(found.result.interlevel, expected.result.interlevel);
}

}  // namespace
}  // namespace mote
