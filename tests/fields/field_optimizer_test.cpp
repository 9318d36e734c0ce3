// The optimiser's formulas against plain loops in double.
#include "fields/field_optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fields/optimizer_tables.h"

namespace mote {
namespace {

double unit_random(std::mt19937& random) {
  return 2 * static_cast<double>(random()) / 4294967295.0 - 1;
}

TEST(FieldAdam, FollowsItsDefinition) {
  const FieldAdam adam{.rate = 0.01f, .beta1 = 0.5f, .beta2 = 0.75f, .epsilon = 1e-3f, .l2 = 0.25f};
  std::mt19937 random(3);
  AdamState<double> s{0.7, 0, 0};
  double value = 0.7, first = 0, second = 0;
  for (int n = 1; n <= 200; ++n) {
    const double gradient = unit_random(random) * std::pow(10.0, 3 * unit_random(random));
    const double correction = std::sqrt(1 - std::pow(0.75, n)) / (1 - std::pow(0.5, n));
    s = field_adam_update(s, matrix_gradient(gradient, s.value, adam), correction, adam);
    const double g = gradient + 0.25 * value;
    first = 0.5 * first + 0.5 * g;
    second = 0.75 * second + 0.25 * g * g;
    value -= static_cast<double>(0.01f) * correction * first /
             (std::sqrt(second) + static_cast<double>(1e-3f));
    ASSERT_NEAR(s.value, value, 1e-12);
    ASSERT_NEAR(s.first, first, 1e-9 * (1 + std::abs(first)));
    ASSERT_NEAR(s.second, second, 1e-9 * (1 + second));
  }
}

TEST(FieldAdam, StaysFiniteForHugeAndTinyGradients) {
  const FieldAdam adam{.rate = 0.01f, .beta1 = 0.9f, .beta2 = 0.99f, .epsilon = 1e-15f, .l2 = 0};
  for (const float gradient : {3e38f, -3e38f, 1e-38f, 1e-45f}) {
    AdamState<float> s{0.5f, 0, 0};
    for (int n = 1; n < 10; ++n) s = field_adam_update(s, gradient, 1.0f, adam);
    EXPECT_TRUE(std::isfinite(s.value) && std::isfinite(s.first) && std::isfinite(s.second));
    EXPECT_NEAR(s.value, 0.5f, 0.2f);
  }
}

TEST(AdamCorrections, AreThoseOfTheirNumberUntilTheyAreOne) {
  for (const double beta2 : {0.99, 0.999, 0.5}) {
    const auto corrections = adam_corrections(0.9, beta2);
    EXPECT_EQ(corrections.back(), 1.0f);
    EXPECT_LT(corrections.size(), kMostCorrections);
    for (std::size_t n = 1; n < corrections.size(); ++n) {
      const auto steps = static_cast<double>(n);
      ASSERT_NEAR(corrections[n],
                  std::sqrt(1 - std::pow(beta2, steps)) / (1 - std::pow(0.9, steps)), 1e-6);
    }
  }
  EXPECT_EQ(adam_corrections(0.9, 0.999999).size(), kMostCorrections);
}

TEST(AverageShares, AreOneMinusPowers) {
  const auto shares = average_shares(0.95);
  EXPECT_EQ(shares[0], 0.0f);
  EXPECT_EQ(shares.back(), 1.0f);
  EXPECT_LT(shares.size(), 600u);
  for (std::size_t k = 0; k < shares.size(); ++k) {
    ASSERT_NEAR(shares[k], 1 - std::pow(0.95, static_cast<double>(k)), 1e-7);
  }
  EXPECT_EQ(average_shares(0).size(), 2u);
}

TEST(FieldAverage, IsTheSameIfVisitedOnlyWhenTheValueChanges) {
  constexpr double kDecay = 0.9;
  const auto share = [](int steps, int step) {
    return (1 - std::pow(kDecay, steps)) / (1 - std::pow(kDecay, step));
  };
  std::mt19937 random(5);
  double value = 0.3, eager = 0, lazy = 0.3;
  int visited = 0;
  for (int step = 1; step <= 300; ++step) {
    if (random() % 7 == 0) {
      if (step - 1 > visited) lazy = averaged(lazy, value, share(step - 1 - visited, step - 1));
      value = unit_random(random);
      lazy = averaged(lazy, value, share(1, step));
      visited = step;
    }
    // As tiny-cuda-nn, which divides by the weights' sum before and after the step.
    eager = (eager * kDecay * (1 - std::pow(kDecay, step - 1)) + value * (1 - kDecay)) /
            (1 - std::pow(kDecay, step));
    const double read = step > visited ? averaged(lazy, value, share(step - visited, step)) : lazy;
    ASSERT_NEAR(read, eager, 1e-12) << step;
  }
}

TEST(LearningRate, FallsAfterTheStartAndEachInterval) {
  FieldOptimizer optimizer;
  optimizer.learning_rate = 0.01;
  EXPECT_EQ(learning_rate_at(optimizer, 50000), 0.01);
  optimizer.decay = FieldOptimizer::Decay{.base = 0.5, .start = 20, .interval = 7, .end = 60};
  double factor = 1;
  for (std::uint64_t step = 1; step < 100; ++step) {
    const std::uint64_t before = step - 1;
    if (before >= 20 && (before - 20) % 7 == 0 && before <= 60) factor *= 0.5;
    ASSERT_NEAR(learning_rate_at(optimizer, step), 0.01 * factor, 1e-12) << step;
  }
  EXPECT_EQ(factor, 1.0 / 64);
  EXPECT_EQ(field_adam_at(optimizer, 21).rate, 0.005f);
}

}  // namespace
}  // namespace mote
