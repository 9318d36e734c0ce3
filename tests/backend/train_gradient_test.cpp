// The gradient of a whole training step in double, for every group of parameters, against finite
// differences of the reference renderer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.h"
#include "support/reference/gradient_scenarios.h"

namespace mote {
namespace {

struct Difference {
  double value = 0;
  bool smooth = false;  // no threshold was crossed between the two ends
};

/// The central difference along `direction`.
Difference difference_along(const ReferenceStep& step, const ParameterGroup& group,
                            const std::vector<double>& direction) {
  constexpr double kStep = 1e-6;
  const auto move = [&](double by) {
    for (std::size_t i = 0; i < direction.size(); ++i) *group.at[i] += by * direction[i];
  };
  std::vector<double> kept;
  for (const double* at : group.at) kept.push_back(*at);
  move(kStep);
  const LossWithDecisions above = loss_of(step);
  move(-2 * kStep);
  const LossWithDecisions below = loss_of(step);
  for (std::size_t i = 0; i < kept.size(); ++i) *group.at[i] = kept[i];
  return {(above.loss - below.loss) / (2 * kStep), above.decisions == below.decisions};
}

class TrainGradient : public testing::TestWithParam<GradientScenario> {};

INSTANTIATE_TEST_SUITE_P(EachScenario, TrainGradient,
                         testing::ValuesIn(gradient_scenarios().begin(),
                                           gradient_scenarios().end()),
                         [](const auto& info) { return info.param.name; });

TEST_P(TrainGradient, MatchesFiniteDifferencesForEveryGroup) {
  ReferenceStep step = step_of(GetParam());
  const ReferenceGradient gradient = gradient_of(step);
  EXPECT_NEAR(gradient.loss, loss_of(step).loss, 1e-6);
  Random random(9);
  int tried = 0, crossed = 0;
  for (const ParameterGroup& group : groups_of(step, gradient)) {
    SCOPED_TRACE(group.name);
    double largest = 0;
    for (const double g : group.gradient) largest = std::max(largest, std::abs(g));
    EXPECT_GT(largest, 0.0);
    double worst = 0;
    int smooth = 0;
    // Along single parameters, and along all parameters of the group at once with random signs.
    for (int round = 0; round < 12; ++round) {
      std::vector<double> direction(group.at.size(), 0.0);
      if (round < 8) {
        direction[random.below(static_cast<std::uint32_t>(direction.size()))] = 1;
      } else {
        for (double& d : direction) d = random.below(2) == 0 ? -0.1 : 0.1;
      }
      double expected = 0;
      for (std::size_t i = 0; i < direction.size(); ++i) {
        expected += direction[i] * group.gradient[i];
      }
      const Difference found = difference_along(step, group, direction);
      ++tried;
      crossed += !found.smooth;
      if (!found.smooth) continue;
      ++smooth;
      worst =
          std::max(worst, std::abs(found.value - expected) / std::max(largest, std::abs(expected)));
    }
    EXPECT_LT(worst, 1e-5);
    EXPECT_GE(smooth, 6);
  }
  EXPECT_LT(crossed, tried / 10);
}

}  // namespace
}  // namespace mote
