// Values of single splats, their histograms, and selection by a range of them.
#include "splats/picking/splat_properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/random_cloud.h"
#include "support/reference/render_checks.h"

namespace mote {
namespace {

constexpr double kBasis0 = 0.28209479177387814;

void set_color(SplatCloud& cloud, std::size_t splat, const glm::dvec3& color) {
  for (int c = 0; c < 3; ++c)
    cloud.sh(splat, 0, c) = static_cast<float>((color[c] - 0.5) / kBasis0);
}

TEST(HueSaturationValue, OfKnownColors) {
  const auto expect = [](const glm::dvec3& color, double hue, double saturation, double value) {
    const glm::dvec3 found = hue_saturation_value(color);
    EXPECT_NEAR(found.x, hue, 1e-9);
    EXPECT_NEAR(found.y, saturation, 1e-9);
    EXPECT_NEAR(found.z, value, 1e-9);
  };
  expect({1, 0, 0}, 0, 1, 1);
  expect({0, 1, 0}, 120, 1, 1);
  expect({0, 0, 1}, 240, 1, 1);
  expect({0.5, 0.5, 0}, 60, 1, 0.5);
  expect({0.8, 0.4, 0.6}, 330, 0.5, 0.8);
  const glm::dvec3 grey = hue_saturation_value({0.3, 0.3, 0.3});
  EXPECT_TRUE(std::isnan(grey.x));
  EXPECT_EQ(grey.y, 0);
  EXPECT_EQ(grey.z, 0.3);
}

TEST(PropertyValues, AreThoseOfEachSplat) {
  SplatCloud cloud = random_cloud(100, 1, 3);
  set_color(cloud, 7, {0.2, 0.6, 0.4});
  cloud.at(7, Field::logit_opacity) = std::log(0.25f / 0.75f);
  cloud.at(7, Field::log_scale_x) = std::log(0.02f);
  cloud.at(7, Field::log_scale_y) = std::log(0.3f);
  cloud.at(7, Field::log_scale_z) = std::log(0.1f);
  const PropertyView view{.camera = camera_at(4, 400, 300), .scale = 2};
  const auto value = [&](SplatProperty property) {
    return static_cast<double>(property_values(cloud, property, view)[7]);
  };
  EXPECT_NEAR(value(SplatProperty::opacity), 0.25, 1e-6);
  EXPECT_NEAR(value(SplatProperty::size), 0.6, 1e-6);
  EXPECT_NEAR(value(SplatProperty::red), 0.2, 1e-6);
  EXPECT_NEAR(value(SplatProperty::green), 0.6, 1e-6);
  EXPECT_NEAR(value(SplatProperty::blue), 0.4, 1e-6);
  EXPECT_NEAR(value(SplatProperty::hue), 150, 1e-3);
  EXPECT_NEAR(value(SplatProperty::saturation), 2.0 / 3, 1e-6);
  EXPECT_NEAR(value(SplatProperty::value), 0.6, 1e-6);
  const glm::dvec3 mean(cloud.at(7, Field::mean_x), cloud.at(7, Field::mean_y),
                        cloud.at(7, Field::mean_z));
  const glm::dvec3 in_camera = view.camera.cam_from_world * mean + view.camera.translation;
  EXPECT_NEAR(value(SplatProperty::depth), 2 * in_camera.z, 1e-5);
}

TEST(PropertyValues, FollowTheColorAdjustment) {
  SplatCloud cloud = random_cloud(10, 0, 3);
  set_color(cloud, 2, {0.2, 0.3, 0.4});
  const PropertyView view{.camera = camera_at(4, 400, 300), .colors = {.exposure = 1}};
  EXPECT_NEAR(property_values(cloud, SplatProperty::green, view)[2], 0.6, 1e-6);
}

TEST(PropertyValues, BehindTheCameraThereIsNoDepth) {
  SplatCloud cloud = random_cloud(10, 0, 3);
  cloud.at(4, Field::mean_x) = cloud.at(4, Field::mean_y) = cloud.at(4, Field::mean_z) = 0;
  Camera camera = camera_at(4, 400, 300);
  look_at(camera, {0, 0, -1}, {0, 0, -2}, {0, -1, 0});
  EXPECT_TRUE(std::isnan(property_values(cloud, SplatProperty::depth, {.camera = camera})[4]));
}

TEST(PropertyValues, TheLifeIsTheTimeInWhichASplatIsVisible) {
  SplatCloud cloud = random_moving_cloud(40, 0, 3);
  const auto set = [&](std::size_t i, float middle, float sigma, float plateau) {
    cloud.at(i, Field::logit_opacity) = 20;
    cloud.at(i, Field::time_mean) = middle;
    cloud.at(i, Field::log_time_sigma) = std::log(sigma);
    cloud.at(i, Field::log_time_plateau) = std::log(plateau);
  };
  const float half = std::sqrt(2 * std::log(255.0f));
  set(5, 1, 0.1f, 0.2f);
  set(20, 0, 0.1f, 0.2f);                                     // half of it is before the scene
  set(33, static_cast<float>(cloud.times.duration_s), 1, 3);  // longer than the scene
  const PropertyView view{.camera = camera_at(4, 400, 300)};
  const std::vector<float> lives = property_values(cloud, SplatProperty::life, view);
  EXPECT_NEAR(lives[5], 2 * (0.2f + 0.1f * half), 1e-4);
  EXPECT_NEAR(lives[20], 0.2f + 0.1f * half, 1e-4);
  EXPECT_NEAR(lives[33], cloud.times.duration_s, 1e-6);
  EXPECT_TRUE(std::isnan(property_values(random_cloud(9, 0, 1), SplatProperty::life, view)[3]));
}

TEST(PickByValue, TakesTheRangeAndLeavesOutSplatsWithoutValue) {
  const std::vector<float> values{0, 0.25f, 0.5f, std::nanf(""), 0.75f, 1};
  EXPECT_EQ(pick_by_value(values, 0.25, 0.75).indices(), (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(pick_by_value(values, 0.75, 0.25).indices(), (std::vector<std::uint32_t>{0, 1, 4, 5}))
      << "around the circle of hues";
}

TEST(ValueHistogram, CountsEveryShownSplatOnce) {
  const SplatCloud cloud = random_moving_cloud(5000, 1, 4);
  SplatMask among(cloud.count(), true);
  for (std::size_t i = 0; i < cloud.count(); i += 3) among.set(i, false);
  const PropertyView view{.camera = camera_at(4, 400, 300)};
  for (const PropertyInfo& info : kSplatProperties) {
    const std::vector<float> values = property_values(cloud, info.property, view);
    const ValueHistogram histogram = histogram_of(values, among, info, 64);
    EXPECT_EQ(histogram.total,
              std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{0}))
        << info.name;
    SplatMask all = pick_by_value(values, histogram.low, histogram.high);
    all.combine(among, MaskOperation::intersect);
    // Float rounding may leave the two ends out.
    EXPECT_NEAR(static_cast<double>(all.count()), static_cast<double>(histogram.total), 2)
        << info.name;
    EXPECT_GT(histogram.total, 1000u) << info.name;
  }
}

TEST(ValueHistogram, ABinHoldsTheValuesBetweenItsEnds) {
  const SplatCloud cloud = random_cloud(5000, 1, 5);
  const SplatMask among(cloud.count(), true);
  for (const SplatProperty property : {SplatProperty::size, SplatProperty::opacity}) {
    const std::vector<float> values =
        property_values(cloud, property, {.camera = camera_at(4, 400, 300)});
    const ValueHistogram histogram = histogram_of(values, among, info_of(property), 10);
    for (std::size_t bin = 0; bin < 10; ++bin) {
      const double low = histogram.value_at(0.1 * static_cast<double>(bin)),
                   high = histogram.value_at(0.1 * static_cast<double>(bin + 1));
      const auto between = static_cast<double>(pick_by_value(values, low, high).count());
      EXPECT_NEAR(between, static_cast<double>(histogram.counts[bin]), 2) << bin;
      EXPECT_NEAR(histogram.fraction_of(low), 0.1 * static_cast<double>(bin), 1e-9);
    }
  }
}

TEST(ValueHistogram, OfEqualValuesAndOfNoneIsFinite) {
  const PropertyInfo& size = info_of(SplatProperty::size);
  const ValueHistogram equal =
      histogram_of(std::vector<float>{2, 2, 2}, SplatMask(3, true), size, 8);
  EXPECT_EQ(equal.total, 3u);
  EXPECT_LT(equal.low, 2);
  EXPECT_GT(equal.high, 2);
  const ValueHistogram none = histogram_of(std::vector<float>{2, 2, 2}, SplatMask(3), size, 8);
  EXPECT_EQ(none.total, 0u);
  EXPECT_LT(none.low, none.high);
}

}  // namespace
}  // namespace mote
