// Results of a step other than the gradient (train_gradient_test.cpp): the statistic for
// densification, against finite differences of the reference renderer, and parameters that each
// move at the rate of their own group.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "backend/splat_trainer.h"
#include "core/random.h"
#include "support/reference/reference_training.h"
#include "support/test_devices.h"

namespace mote {
namespace {

constexpr int kWidth = 48, kHeight = 40, kCountedSplats = 40;

SplatCloud scene() {
  Random random(11);
  SplatCloud cloud(kCountedSplats, 2);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const auto set = [&](int field, double low, double high) {
      cloud.at(i, static_cast<Field>(field)) = static_cast<float>(random.uniform(low, high));
    };
    for (int k = 0; k < 3; ++k) set(k, -0.8, 0.8);
    for (int k = 3; k < 6; ++k) set(k, -3.5, -1.5);
    for (int k = 6; k < 10; ++k) set(k, -1, 1);
    set(10, -2, 2);
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) = static_cast<float>(random.uniform(-0.7, 0.7));
    }
  }
  return cloud;
}

ReferenceStep step_on(const SplatCloud& cloud, bool antialiased) {
  Random random(5);
  ReferenceStep step;
  step.cloud = ReferenceCloud(cloud);
  step.camera.width = step.target.width = kWidth;
  step.camera.height = step.target.height = kHeight;
  step.camera.focal_px = {44, 46};
  step.camera.center_px = {25, 19};
  look_at(step.camera, {1.1, -0.8, -1.9}, {0, 0, 0}, {0, -1, 0});
  step.antialiased = antialiased;
  for (int i = 0; i < kWidth * kHeight * 3; ++i) {
    step.target.photo.push_back(static_cast<std::uint8_t>(40 + i / 60 + 60 * random.uniform()));
  }
  step.target.background = {0.28125, 0.46875, 0.71875};
  return step;
}

/// Effect of a splat's projected mean on the loss, along both axes, in normalised device
/// coordinates.
struct Influence {
  glm::dvec2 gradient{0}, absolute{0};  // of the loss; sum of its magnitudes over the pixels
  bool smooth = true;                   // no threshold was crossed within the differences
};

std::vector<double> picture_of(const ReferenceStep& step, std::uint64_t& decisions) {
  RenderSettings settings;
  settings.antialiased = step.antialiased;
  ReferenceFrame frame = render_reference(step.cloud, step.camera, settings);
  for (std::size_t i = 0; i < frame.rgb.size(); ++i) {
    frame.rgb[i] += (1 - frame.alpha[i / 3]) * step.target.background[i % 3];
  }
  decisions = frame.decisions;
  return frame.rgb;
}

Influence influence_of(ReferenceStep& step, std::size_t splat, const std::vector<double>& d_pixel) {
  constexpr double kStep_px = 1e-5;
  const glm::dvec2 px_per_unit(0.5 * kWidth, 0.5 * kHeight);
  Influence found;
  for (int axis = 0; axis < 2; ++axis) {
    double& shift = step.cloud.shift_px[splat][axis];
    std::uint64_t decisions[2];
    shift = kStep_px;
    const std::vector<double> above = picture_of(step, decisions[0]);
    const LossWithDecisions loss_above = loss_of(step);
    shift = -kStep_px;
    const std::vector<double> below = picture_of(step, decisions[1]);
    const LossWithDecisions loss_below = loss_of(step);
    shift = 0;
    found.smooth &= loss_above.decisions == loss_below.decisions;
    found.gradient[axis] = (loss_above.loss - loss_below.loss) / (2 * kStep_px) * px_per_unit[axis];
    for (std::size_t p = 0; p < above.size(); p += 3) {
      double d = 0;
      for (std::size_t c = p; c < p + 3; ++c) {
        d += d_pixel[c] * (above[c] - below[c]) / (2 * kStep_px);
      }
      found.absolute[axis] += std::abs(d) * px_per_unit[axis];
    }
  }
  return found;
}

struct Reference {
  ReferenceStep step;
  std::vector<Influence> expected;  // one per splat
};

Reference make_reference(bool antialiased) {
  Reference made{step_on(scene(), antialiased), {}};
  made.step.cloud.shift_px.assign(kCountedSplats, glm::dvec2(0));
  std::uint64_t ignored = 0;
  made.step.target.rendered = picture_of(made.step, ignored);
  const std::vector<double> d_pixel = reference_loss_gradient(made.step.target).rendered;
  for (std::size_t i = 0; i < kCountedSplats; ++i) {
    made.expected.push_back(influence_of(made.step, i, d_pixel));
  }
  return made;
}

/// Computed once for all devices.
const Reference& reference(bool antialiased) {
  static const Reference kReferences[] = {make_reference(false), make_reference(true)};
  return kReferences[antialiased ? 1 : 0];
}

class StepStatistics : public OnEachDevice {};

INSTANTIATE_TEST_SUITE_P(On, StepStatistics, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(StepStatistics, DensificationSumsTheGradientInNormalisedDeviceCoordinates) {
  for (const bool antialiased : {false, true}) {
    const auto& [step, expected] = reference(antialiased);
    const PhotoPixels photo = photo_of(step.target);
    for (const bool absolute : {false, true}) {
      const auto trainer = backend().make_trainer(scene(), {antialiased, absolute});
      const SplatCloud order = trainer->cloud();
      trainer->step(request_of(step, photo));
      const DensityStatistics statistics = trainer->statistics();
      double largest = 0;
      int compared = 0;
      for (const Influence& e : expected) largest = std::max(largest, glm::length(e.absolute));
      for (std::size_t i = 0; i < kCountedSplats; ++i) {
        std::size_t place = 0;  // the splat is found by its position
        while (step.cloud.at(place, Field::mean_x) !=
               static_cast<double>(order.at(i, Field::mean_x))) {
          ++place;
        }
        const Influence& e = expected[place];
        const double norm = glm::length(absolute ? e.absolute : e.gradient);
        if (!e.smooth || norm == 0) continue;
        ++compared;
        EXPECT_NEAR(static_cast<double>(statistics.gradient[i]), norm, 1e-3 * norm + 1e-4 * largest)
            << place << (absolute ? " absolute" : "");
        EXPECT_EQ(statistics.seen[i], 1u);
      }
      EXPECT_GT(compared, kCountedSplats / 2);
    }
  }
}

TEST_P(StepStatistics, EachRateMovesOnlyTheParametersOfItsGroup) {
  struct Group {
    const char* name;
    float LearningRates::*rate;
    int first, last;  // planes: the fields, then the harmonics
  };
  constexpr int kPlanes = kGaussianFields + 3 * 9;
  const Group groups[] = {{"mean", &LearningRates::mean, 0, 3},
                          {"log_scale", &LearningRates::log_scale, 3, 6},
                          {"rotation", &LearningRates::rotation, 6, 10},
                          {"logit_opacity", &LearningRates::logit_opacity, 10, kGaussianFields},
                          {"sh_0", &LearningRates::sh_0, kGaussianFields, kGaussianFields + 3},
                          {"sh_rest", &LearningRates::sh_rest, kGaussianFields + 3, kPlanes}};
  // Gaussians that stand still have all groups but that of beta and the eleven of motions.
  static_assert(sizeof(LearningRates) == (std::size(groups) + 12) * sizeof(float));
  const auto value = [](const SplatCloud& cloud, std::size_t i, int plane) {
    const int k = plane - kGaussianFields;
    return plane < kGaussianFields ? cloud.at(i, static_cast<Field>(plane))
                                   : cloud.sh(i, k / 3, k % 3);
  };
  const ReferenceStep step = step_on(scene(), false);
  const PhotoPixels photo = photo_of(step.target);
  for (const Group& group : groups) {
    SCOPED_TRACE(group.name);
    constexpr float kRate = 0.015625f;
    const auto trainer = backend().make_trainer(scene(), {});
    const SplatCloud before = trainer->cloud();
    StepRequest request = request_of(step, photo);
    request.rates.*group.rate = kRate;
    trainer->step(request);
    const SplatCloud after = trainer->cloud();
    for (int plane = 0; plane < kPlanes; ++plane) {
      float most = 0;
      for (std::size_t i = 0; i < kCountedSplats; ++i) {
        most = std::max(most, std::abs(value(after, i, plane) - value(before, i, plane)));
      }
      // The length of Adam's first step is its rate.
      const bool moves = plane >= group.first && plane < group.last;
      EXPECT_NEAR(most, moves ? kRate : 0, moves ? 1e-5 : 0) << plane;
    }
  }
}

}  // namespace
}  // namespace mote
