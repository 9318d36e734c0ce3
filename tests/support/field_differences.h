#pragma once

// Gradients of a step of a NeRF's training, against differences of its loss.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "support/field_step.h"

namespace mote {

/// The function that gradients are of. A step reports the mean over the channels; its gradients are
/// those of the sum.
inline double graded_loss(FieldStepper& stepper) {
  return 3 * stepper.forward().loss;
}

/// The derivative of the loss, by a difference of the fourth order. `move(offset)` moves parameters
/// to `offset` from their place.
inline double difference(FieldStepper& stepper, double step,
                         const std::function<void(double)>& move) {
  const auto slope = [&](double offset) {
    move(offset);
    const double above = graded_loss(stepper);
    move(-offset);
    return (above - graded_loss(stepper)) / (2 * offset);
  };
  const double fine = slope(step), coarse = slope(2 * step);
  move(0);
  return (4 * fine - coarse) / 3;
}

inline double difference(FieldStepper& stepper, double step, float& value) {
  const float before = value;
  return difference(stepper, step,
                    [&](double offset) { value = before + static_cast<float>(offset); });
}

inline double difference(FieldStepper& stepper, double step, std::uint16_t& half) {
  const float before = from_half(half);
  return difference(stepper, step,
                    [&](double offset) { half = to_half(before + static_cast<float>(offset)); });
}

inline double size_of(const std::vector<float>& gradient) {
  double sum = 0;
  for (const float g : gradient) sum += static_cast<double>(g) * static_cast<double>(g);
  return std::sqrt(sum);
}

/// The distance of two gradients, relative to the size of the second.
inline double relative_error(const std::vector<float>& found, const std::vector<float>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  std::vector<float> apart(expected.size());
  for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = found[i] - expected[i];
  return size_of(apart) / size_of(expected);
}

/// Compares every `pace`-th derivative with a difference, relative to the largest.
template <class Parameter>
void expect_differences(FieldStepper& stepper, const std::vector<float>& gradient,
                        Parameter* parameters, std::size_t pace, double step) {
  double largest = 0;
  for (const float g : gradient) largest = std::max(largest, std::abs(static_cast<double>(g)));
  ASSERT_GT(largest, 1e-4);  // otherwise rounding of the loss would decide
  for (std::size_t i = 0; i < gradient.size(); i += pace) {
    ASSERT_NEAR(gradient[i], difference(stepper, step, parameters[i]), 2e-3 * largest)
        << "parameter " << i;
  }
}

}  // namespace mote
