// The gradient of trainers, on each device that the test program is linked with (test_devices.h),
// against the backward pass in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "backend/splat_trainer.h"
#include "support/reference/gradient_scenarios.h"
#include "support/test_devices.h"

namespace mote {
namespace {

SplatCloud cloud_of(const ReferenceCloud& from) {
  SplatCloud cloud(from.count, from.sh_degree);
  for (std::size_t i = 0; i < from.count; ++i) {
    for (int f = 0; f < kGaussianFields; ++f) {
      const auto field = static_cast<Field>(f);
      cloud.at(i, field) = static_cast<float>(from.at(i, field));
    }
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) = static_cast<float>(from.sh_at(i, k, c));
    }
  }
  return cloud;
}

struct Trained {
  StepResult result;
  ReferenceGradient gradient;  // with the splats in the order of the step's cloud
};

Trained trained_gradient(const ReferenceStep& step, const TestDevice& device, BackwardForm form) {
  const auto backend = device.make();
  const auto trainer = backend->make_trainer(cloud_of(step.cloud), {step.antialiased, false, form});
  const PhotoPixels photo = photo_of(step.target);
  Trained trained;
  StepResult& result = trained.result;
  ReferenceGradient& gradient = trained.gradient;
  const ReferenceCloud found(trainer->gradients(request_of(step, photo), result));
  const SplatCloud order = trainer->cloud();
  gradient.cloud = step.cloud;
  for (std::size_t i = 0; i < found.count; ++i) {
    // A splat is found by its position.
    const auto x = static_cast<double>(order.at(i, Field::mean_x));
    std::size_t place = 0;
    while (step.cloud.at(place, Field::mean_x) != x) ++place;
    for (int f = 0; f < kGaussianFields; ++f) {
      gradient.cloud.at(place, static_cast<Field>(f)) = found.at(i, static_cast<Field>(f));
    }
    for (int k = 0; k < sh_coefficient_count(found.sh_degree); ++k) {
      for (int c = 0; c < 3; ++c) gradient.cloud.sh_at(place, k, c) = found.sh_at(i, k, c);
    }
  }
  gradient.pose_rotation = result.d_pose_rotation;
  gradient.pose_translation = result.d_pose_translation;
  for (std::size_t c = 0; c < 3; ++c) {
    gradient.background[c] = static_cast<double>(result.d_background[c]);
  }
  for (std::size_t i = 0; i < 12; ++i) {
    gradient.exposure[i] = static_cast<double>(result.d_exposure[i]);
  }
  return trained;
}

/// Splats that change no pixel have no gradient from the picture. A step may or may not regularise
/// them, so the test zeroes their gradient.
void drop_unseen(ReferenceGradient& gradient, const ReferenceGradient& by_the_picture) {
  for (std::size_t i = 0; i < gradient.cloud.count; ++i) {
    if (by_the_picture.cloud.at(i, Field::logit_opacity) != 0) continue;
    for (int f = 0; f < kGaussianFields; ++f) gradient.cloud.at(i, static_cast<Field>(f)) = 0;
  }
}

double norm_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum);
}

class TrainerGradient : public testing::TestWithParam<std::tuple<TestDevice, GradientScenario>> {};

INSTANTIATE_TEST_SUITE_P(On, TrainerGradient,
                         testing::Combine(testing::ValuesIn(test_devices()),
                                          testing::ValuesIn(gradient_scenarios().begin(),
                                                            gradient_scenarios().end())),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
                         });

/// Expects that the gradient of `trained` at `step` matches the double reference.
void expect_reference_gradient(ReferenceStep& step, Trained trained) {
  ReferenceGradient expected = gradient_of(step);
  ReferenceStep picture = step;
  picture.opacity_regularizer = picture.scale_regularizer = 0;
  const ReferenceGradient by_the_picture = gradient_of(picture);
  EXPECT_NEAR((1 - step.target.ssim_weight) * trained.result.l1 +
                  step.target.ssim_weight * (1 - trained.result.ssim),
              by_the_picture.loss, 1e-5);
  drop_unseen(expected, by_the_picture);
  drop_unseen(trained.gradient, by_the_picture);
  const std::vector<ParameterGroup> expected_groups = groups_of(step, expected);
  const std::vector<ParameterGroup> found_groups = groups_of(step, trained.gradient);
  for (std::size_t g = 0; g < expected_groups.size(); ++g) {
    std::vector<double> difference = expected_groups[g].gradient;
    for (std::size_t i = 0; i < difference.size(); ++i) {
      difference[i] -= found_groups[g].gradient[i];
    }
    EXPECT_LT(norm_of(difference), 2e-4 * norm_of(expected_groups[g].gradient))
        << expected_groups[g].name;
  }
}

TEST_P(TrainerGradient, MatchesTheBackwardPassInDouble) {
  const auto& [device, scenario] = GetParam();
  if (!device.missing.empty()) GTEST_SKIP() << device.missing;
  ReferenceStep step = step_of(scenario);
  for (const BackwardForm form : device.backward_forms) {
    SCOPED_TRACE(form == BackwardForm::strips ? "strips" : "buckets");
    expect_reference_gradient(step, trained_gradient(step, device, form));
  }
}

}  // namespace
}  // namespace mote
