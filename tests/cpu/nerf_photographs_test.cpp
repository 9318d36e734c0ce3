// The use of linear light and of latents in a step of a NeRF's training, for each instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/field_differences.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

class NerfPhotographs : public testing::TestWithParam<const IsaEntry*> {
 protected:
  static const CpuKernels& kernels() { return *GetParam()->kernels; }
};

INSTANTIATE_TEST_SUITE_P(On, NerfPhotographs, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

TEST_P(NerfPhotographs, GradientsOfLatentsAreThoseOfDifferences) {
  for (const int latents : {1, 3, 17}) {
    SCOPED_TRACE(latents);
    FieldStepCase own({.latents = latents});
    FieldStepper stepper(own, kernels());
    const FieldStepOutcome outcome = stepper.step();
    ASSERT_EQ(outcome.latents.size(), own.latents.size());
    expect_differences(stepper, outcome.latents, own.latents.data(), 1, 0x1p-5);
    expect_differences(stepper, outcome.color, own.networks.data() + own.color_first, 29, 0x1p-5);
  }
}

TEST_P(NerfPhotographs, GradientsOfLatentsAreTheSameForAnyNumberOfThreads) {
  FieldStepCase own({.latents = 5, .activation = LayerActivation::relu, .rays = 3000});
  const FieldStepOutcome one = FieldStepper(own, kernels(), 1).step();
  const FieldStepOutcome three = FieldStepper(own, kernels(), 3).step();
  EXPECT_GT(size_of(one.latents), 0);
  EXPECT_EQ(one.latents, three.latents);
}

/// A transparent field shows the background alone, so that the error tells the target.
TEST_P(NerfPhotographs, TargetsOfLightAreItsDisplayValuesOverTheBackground) {
  FieldStepCase own({.hdr = true, .light = true});
  own.request.photographs = std::span(own.photographs).subspan(1, 1);  // with alpha
  const ImageLight& light = own.pixels[1].light;
  ASSERT_EQ(light.channels, 4);
  for (std::size_t i = 0; i < light.pixels.size(); ++i) {
    own.pixels[1].light.pixels[i] = to_half(i % 4 == 3 ? 0.25f : 3 + static_cast<float>(i % 4));
  }
  own.request.background = {0.5f, 1, 0};
  std::fill(own.field.occupancy.values.begin(), own.field.occupancy.values.end(), 0.0f);
  FieldStepper stepper(own, kernels());
  const FieldStepResult result = stepper.forward();
  ASSERT_GT(result.rays, 5u);
  // Light is multiplied with alpha: that of a pixel is 3 / 0.25 and so on.
  const double straight[] = {12, 16, 20}, background[] = {0.5, 1, 0};
  double squares = 0;
  for (int c = 0; c < 3; ++c) {
    const double display = 1.055 * std::pow(straight[c], 1 / 2.4) - 0.055;
    squares += std::pow(0.25 * (display - background[c]), 2) / 3;
  }
  EXPECT_NEAR(result.mse, squares, 1e-4);
}

}  // namespace
}  // namespace mote
