#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace mote {

using Values = std::vector<double>;
using Function = std::function<Values(const Values&)>;

/// Compares vjps with central differences in double.
class Gradient : public testing::Test {
 protected:
  Values random(std::size_t n, double low = -1, double high = 1) {
    Values v(n);
    for (double& x : v) x = low + (high - low) * static_cast<double>(engine_()) / 4294967295.0;
    return v;
  }

  /// Compares dL/dx for L = weights . f(x) with central differences, 1e-5 relative to the largest.
  void expect_gradient(const Function& f, const Values& x, const Values& weights,
                       const Values& gradient) {
    ASSERT_EQ(x.size(), gradient.size());
    const auto loss = [&](const Values& at) {
      const Values y = f(at);
      EXPECT_EQ(y.size(), weights.size());
      double sum = 0;
      for (std::size_t i = 0; i < y.size(); ++i) sum += weights[i] * y[i];
      return sum;
    };
    double largest = 1e-3;
    for (const double g : gradient) largest = std::max(largest, std::abs(g));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double step = 1e-6 * std::max(1.0, std::abs(x[i]));
      Values plus = x, minus = x;
      plus[i] += step;
      minus[i] -= step;
      const double difference = (loss(plus) - loss(minus)) / (2 * step);
      EXPECT_NEAR(gradient[i], difference, 1e-5 * largest) << "parameter " << i;
    }
  }

  std::mt19937 engine_{7};
};

}  // namespace mote
