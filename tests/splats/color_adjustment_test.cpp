// Colours adjusted in the splats, compared with pictures adjusted after rendering.
#include "splats/color_adjustment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>

#include "backend/backend.h"
#include "devices/devices.h"
#include "support/random_cloud.h"
#include "support/reference/render_checks.h"

namespace mote {
namespace {

/// Colours far from the clamp at 0, seen from all sides.
SplatCloud muted_cloud(int degree) {
  SplatCloud cloud = random_cloud(400, degree, 3);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) *= k == 0 ? 0.4f : 0.1f;
    }
  }
  return cloud;
}

TEST(ColorAdjustment, APictureOfAdjustedSplatsMatchesTheAdjustedPicture) {
  const ColorAdjustment adjustment{
      .exposure = 0.3, .tint = {1.1, 0.95, 0.9}, .saturation = 0.7, .contrast = 0.8};
  const AffineColor map = color_map(adjustment);
  const auto backend = make_backend("cpu", {});
  const Camera camera = camera_at(4, 160, 120);
  for (const int degree : {0, 1, 3}) {
    const SplatCloud cloud = muted_cloud(degree);
    SplatCloud adjusted = muted_cloud(degree);
    adjust_colors(adjusted, adjustment);
    const RenderSettings settings{.outputs = {.alpha = true}};
    const Frame plain = render(*backend, cloud, camera, settings);
    const Frame after = render(*backend, adjusted, camera, settings);
    double largest = 0, change = 0;
    for (std::size_t p = 0; p < plain.alpha.pixels.size(); ++p) {
      const auto at = [&](const Frame& frame) {
        const float* rgb = frame.rgb.pixels.data() + 3 * p;
        return glm::dvec3(rgb[0], rgb[1], rgb[2]);
      };
      const glm::dvec3 expected =
          map.linear * at(plain) + map.offset * double{plain.alpha.pixels[p]};
      for (int c = 0; c < 3; ++c) {
        largest = std::max(largest, std::abs(expected[c] - at(after)[c]));
        change = std::max(change, std::abs(at(plain)[c] - at(after)[c]));
      }
    }
    EXPECT_LT(largest, 2e-5) << degree;
    EXPECT_GT(change, 0.1) << degree;
  }
}

TEST(ColorAdjustment, EachPartHasItsEffect) {
  const auto mapped = [](const ColorAdjustment& adjustment, const glm::dvec3& color) {
    const AffineColor map = color_map(adjustment);
    return map.linear * color + map.offset;
  };
  const glm::dvec3 color(0.2, 0.4, 0.6);
  const auto expect_near = [](const glm::dvec3& a, const glm::dvec3& b) {
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(a[c], b[c], 1e-12);
  };
  expect_near(mapped({}, color), color);
  expect_near(mapped({.exposure = 1}, color), 2.0 * color);
  expect_near(mapped({.tint = {2, 1, 0.5}}, color), {0.4, 0.4, 0.3});
  const double luma = 0.2126 * 0.2 + 0.7152 * 0.4 + 0.0722 * 0.6;
  expect_near(mapped({.saturation = 0}, color), glm::dvec3(luma));
  expect_near(mapped({.contrast = 0}, color), glm::dvec3(0.5));
  expect_near(mapped({.contrast = 2}, color), {-0.1, 0.3, 0.7});
}

TEST(ColorAdjustment, TheDefaultLeavesTheSplatsUnchanged) {
  const SplatCloud cloud = random_cloud(40, 2, 4);
  SplatCloud adjusted = random_cloud(40, 2, 4);
  adjust_colors(adjusted, {});
  for (std::size_t i = 0; i < 40; ++i) {
    for (int k = 0; k < 9; ++k) {
      for (int c = 0; c < 3; ++c) EXPECT_EQ(cloud.sh(i, k, c), adjusted.sh(i, k, c));
    }
  }
}

TEST(ColorAdjustment, AnExposureAndItsOppositeCancel) {
  const SplatCloud cloud = random_cloud(40, 3, 5);
  SplatCloud adjusted = random_cloud(40, 3, 5);
  adjust_colors(adjusted, {.exposure = 1});
  adjust_colors(adjusted, {.exposure = -1});
  for (std::size_t i = 0; i < 40; ++i) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(cloud.sh(i, 0, c), adjusted.sh(i, 0, c), 1e-5);
      EXPECT_NEAR(cloud.sh(i, 9, c), adjusted.sh(i, 9, c), 1e-6);
    }
  }
}

TEST(ColorAdjustment, ItsInverseGivesTheColorsBack) {
  const AffineColor map =
      color_map({.exposure = 0.7, .tint = {1, 0.8, 0.6}, .saturation = 0.4, .contrast = 1.3});
  const auto back = inverted(map);
  ASSERT_TRUE(back);
  const glm::dvec3 color(0.1, 0.5, 0.9);
  const glm::dvec3 found = back->linear * (map.linear * color + map.offset) + back->offset;
  EXPECT_LT(glm::length(found - color), 1e-12);
  EXPECT_FALSE(inverted(color_map({.saturation = 0})));
  EXPECT_FALSE(inverted(color_map({.contrast = 0})));
}

}  // namespace
}  // namespace mote
