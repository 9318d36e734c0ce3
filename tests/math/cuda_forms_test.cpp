// The forms of a splat's exponent and of a pixel's step that the CUDA kernels use.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "lanes/scalar.h"
#include "pipeline/blend.h"
#include "splats/kinds/ellipse.h"

namespace mote {
namespace {

std::vector<double> values(std::mt19937& random, int count, double low, double high) {
  std::uniform_real_distribution<double> draw(low, high);
  std::vector<double> found;
  for (int i = 0; i < count; ++i) found.push_back(draw(random));
  return found;
}

// The squares of a column are expanded, so that terms cancel far from the mean. Where the splat can
// be seen, the error of alpha stays below 1e-4 even for the thinnest splats, which have a standard
// deviation of 0.5 px across.
TEST(CudaForms, TheColumnPolynomialIsPreciseInFloatForThinSplats) {
  std::mt19937 random(1);
  double worst = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::vector<double> draw = values(random, 6, -1, 1);
    const double angle = 3.2 * draw[0], across = 0.5, along = std::exp2(4 + 4 * draw[1]);
    const double c = std::cos(angle), s = std::sin(angle);
    BoundingEllipse<double> ellipse{};
    ellipse.covariance = {c * c * along * along + s * s * across * across,
                          c * s * (along * along - across * across),
                          s * s * along * along + c * c * across * across};
    ellipse.determinant = along * along * across * across;
    const EllipseForm<double> g = form_of(ellipse);
    const EllipseForm<float> f{static_cast<float>(g.curvature_u), static_cast<float>(g.shear),
                               static_cast<float>(g.curvature_y), static_cast<float>(g.shear_x)};
    const EllipseForm<double> same{f.curvature_u, f.shear, f.curvature_y, f.shear_x};
    // A point of the ridge, and a column with one of its pixels near it.
    const double far = 2 * along * draw[2];
    const float below = 4 * std::floor(2 + 1.99f * static_cast<float>(draw[3]));
    const auto x = static_cast<float>(far * c + draw[4]);
    const auto y = static_cast<float>(far * s + draw[5] - below);
    const float found = form_value(column_polynomial(f, -0.01f, x, y, column_bend(f)), below);
    const double expected =
        form_value_at(same, -0.01, static_cast<double>(x), static_cast<double>(y) + below);
    if (expected < kLog2AlphaMin) continue;
    worst = std::max(worst, std::abs(std::exp2(static_cast<double>(found)) - std::exp2(expected)));
  }
  EXPECT_LT(worst, 1e-4);
  EXPECT_GT(worst, 1e-9);  // some splats were seen
}

TEST(CudaForms, BlendingOnePixelMatchesBlendingALane) {
  std::mt19937 random(2);
  int skipped = 0, stopped = 0;
  for (int round = 0; round < 200; ++round) {
    PixelForward one{1.0f, 1.0f};
    LaneForward<float> lane;
    for (const double exponent : values(random, 40, -9, 1)) {
      const auto e = static_cast<float>(exponent);
      float weight = 0;
      blend_pixel(e, one, [&](float w, float before, float after) {
        weight = w;
        EXPECT_EQ(before > after, w > 0);
      });
      EXPECT_EQ(weight, blend_step(e, lane));
      EXPECT_EQ(one.transmittance, lane.transmittance);
      EXPECT_EQ(one.is_open(), lane.open);
      skipped += weight == 0;
    }
    stopped += !one.is_open();
  }
  EXPECT_GT(skipped, 100);
  EXPECT_GT(stopped, 100);
}

}  // namespace
}  // namespace mote
