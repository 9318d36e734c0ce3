// The light of surfaces of signed distance fields, against formulas in double precision.
#include "fields/applications/sphere_tracing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mote {
namespace {

/// The curve of sRGB.
double linear_of(double display) {
  return display <= 0.04045 ? display / 12.92 : std::pow((display + 0.055) / 1.055, 2.4);
}

TEST(SurfaceLight, IsThatOfSunAndSkyTimesTheReflectance) {
  const Vec3<double> sun{0.48, 0.6, 0.64}, up{0, 1, 0};
  const double sun_color[3] = {1.15, 1.05, 0.92}, sky_color[3] = {0.42, 0.48, 0.56};
  for (const Vec3<double>& normal :
       {Vec3<double>{0, 1, 0}, Vec3<double>{0.6, -0.8, 0}, Vec3<double>{0, 0.6, 0.8}}) {
    for (const double shadow : {0.0, 0.25, 1.0}) {
      for (const Vec3<double>& reflectance : {Vec3<double>{0, 0, 0}, Vec3<double>{1, 0.5, 0.125}}) {
        constexpr double kOcclusion = 0.75;
        const Vec3<double> light =
            surface_light<double>({normal, shadow, kOcclusion}, reflectance, sun, up);
        const double to_sun = normal.x * sun.x + normal.y * sun.y + normal.z * sun.z;
        const double own[3] = {light.x, light.y, light.z};
        const double matt[3] = {reflectance.x, reflectance.y, reflectance.z};
        for (int c = 0; c < 3; ++c) {
          const double expected = matt[c] * (0.7 * std::max(to_sun, 0.0) * shadow * sun_color[c] +
                                             (0.6 + 0.4 * normal.y) * kOcclusion * sky_color[c]);
          EXPECT_NEAR(own[c], expected, 1e-6);
        }
      }
    }
  }
}

TEST(SurfaceLight, ColorsAreDisplayValues) {
  const std::array<float, 3> display{0.0f, 0.02f, 0.896f};
  const Vec3<float> linear = reflectance_of(display);
  EXPECT_EQ(linear.x, 0);
  EXPECT_NEAR(linear.y, linear_of(0.02), 1e-6);
  EXPECT_NEAR(linear.z, linear_of(0.896), 1e-6);
  EXPECT_NEAR(linear.z, 0.78, 1e-3);
}

TEST(SphereTracing, AStepLeadsOnFarAwayToo) {
  for (const float place : {0.0f, 1.0f, 65536.0f, 3e7f}) {
    EXPECT_GT(next_trace(place, 0.0017f), place);
    EXPECT_GT(next_trace(place, -1.0f), place);
  }
  EXPECT_FLOAT_EQ(next_trace(2.0f, 0.5f), 2.45f);
}

}  // namespace
}  // namespace mote
