// The curve of sRGB and its inverse.
#include "math/display_curve.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mote {
namespace {

TEST(DisplayCurve, TheInverseGivesTheLightBack) {
  for (int i = 0; i <= 100; ++i) {
    const float light = static_cast<float>(i) / 100;
    EXPECT_NEAR(linear_from_display(display_from_linear(light)), light, 1e-6f);
  }
}

TEST(DisplayCurve, GoesOnAboveWhite) {
  EXPECT_FLOAT_EQ(display_from_linear(8), 1);
  for (const float light : {0.001f, 0.3f, 1.0f, 8.0f, 60000.0f}) {
    const double wide = static_cast<double>(light);
    const double expected =
        wide <= 0.0031308 ? 12.92 * wide : 1.055 * std::pow(wide, 1 / 2.4) - 0.055;
    EXPECT_NEAR(unbounded_display_from_linear(light), expected, 1e-6 * expected + 1e-7) << light;
  }
}

}  // namespace
}  // namespace mote
