// The curve of sRGB, its inverse and its slope.
#include "math/display_curve.h"

#include <gtest/gtest.h>

namespace mote {
namespace {

TEST(DisplayCurve, TheInverseGivesTheLightBack) {
  for (int i = 0; i <= 100; ++i) {
    const float light = static_cast<float>(i) / 100;
    EXPECT_NEAR(linear_from_display(display_from_linear(light)), light, 1e-6f);
  }
}

TEST(DisplayCurve, TheSlopeIsThatOfDifferences) {
  const auto linear = [](double x) {
    return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  for (const double x : {0.01, 0.03, 0.05, 0.2, 0.5, 0.9, 0.99}) {
    const double step = 1e-5, difference = (linear(x + step) - linear(x - step)) / (2 * step);
    EXPECT_NEAR(linear_from_display_slope(static_cast<float>(x)), difference, 1e-5) << x;
  }
}

}  // namespace
}  // namespace mote
