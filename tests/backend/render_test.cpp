// Rendering against the double-precision reference, on each device that the test program is linked
// with (test_devices.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "backend/backend.h"
#include "core/error.h"
#include "core/image.h"
#include "render_fixture.h"
#include "support/random_cloud.h"
#include "support/reference/reference_renderer.h"
#include "support/reference/reference_solids.h"

namespace mote {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

class Render : public RendersOnEachDevice {};

INSTANTIATE_TEST_SUITE_P(On, Render, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Render, MatchesTheReferenceFromAfar) {
  expect_matches(random_cloud(800, 0, 1), camera_at(3, 213, 170), {});
}

TEST_P(Render, MatchesTheReferenceFromInside) {
  expect_matches(random_cloud(800, 1, 2), camera_at(0.4, 200, 131), {});
}

TEST_P(Render, DrawsThroughTheLongLensOfAnOrthographicView) {
  constexpr double kFactor = 1024, kDistance = 3;
  Camera camera = camera_at(kDistance, 160, 120);
  camera.focal_px *= kFactor;
  camera.translation.z += (kFactor - 1) * kDistance;
  const SplatCloud cloud = random_cloud(300, 3, 9);
  for (const SplatShape shape : {SplatShape::blended, SplatShape::ellipsoid}) {
    RenderSettings settings;
    settings.shape = shape;
    const Frame frame = render(cloud, camera, settings);
    const ReferenceFrame expected = shape == SplatShape::blended
                                        ? render_reference(cloud, camera, settings)
                                        : render_reference_solids(cloud, camera, settings);
    // Splats at nearly the same depth may change places: a float holds depths to 1e-4 of the
    // distance.
    std::size_t far = 0;
    double sum = 0;
    for (std::size_t i = 0; i < expected.rgb.size(); ++i) {
      const double error = std::abs(static_cast<double>(frame.rgb.pixels[i]) - expected.rgb[i]);
      far += error > 2e-3;
      sum += error;
    }
    const auto values = static_cast<double>(expected.rgb.size());
    EXPECT_LT(static_cast<double>(far), 0.01 * values);
    EXPECT_LT(sum, 1e-3 * values);
    EXPECT_GT(std::accumulate(expected.rgb.begin(), expected.rgb.end(), 0.0), 0.05 * values)
        << "there is something to see";
  }
}

TEST_P(Render, MatchesTheReferenceAtEveryShDegree) {
  for (int degree = 0; degree <= kMaxShDegree; ++degree) {
    SCOPED_TRACE(degree);
    RenderSettings settings;
    settings.background = {0.2f, 0.5f, 0.9f};
    expect_matches(random_cloud(300, degree, 3), camera_at(2.5, 96, 96), settings);
  }
}

TEST_P(Render, IgnoresBandsAboveTheRequestedDegree) {
  RenderSettings settings;
  settings.max_sh_degree = 1;
  expect_matches(random_cloud(300, 3, 4), camera_at(2.5, 96, 96), settings);
}

TEST_P(Render, MatchesTheReferenceAntialiased) {
  RenderSettings settings;
  settings.antialiased = true;
  expect_matches(random_cloud(800, 0, 5), camera_at(6, 150, 150), settings);
}

TEST_P(Render, MatchesTheReferenceForNeedlesAcrossTheImage) {
  SplatCloud cloud = random_cloud(60, 0, 6);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::log_scale_x) = 0.5f;
    cloud.at(i, Field::log_scale_y) = -7.0f;
    cloud.at(i, Field::log_scale_z) = -9.0f;
  }
  expect_matches(cloud, camera_at(2.5, 300, 260), {});
}

TEST_P(Render, DrawsEveryPixelOfSizesThatEndWithinATileOrABlock) {
  const SplatCloud cloud = random_cloud(200, 0, 7);
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 5}, {17, 64}, {65, 15}, {129, 66}}) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    Camera camera = camera_at(2.5, 128, 128);
    camera = resized(camera, width, height);
    expect_matches(cloud, camera, {});
  }
}

TEST_P(Render, MatchesTheReferenceWhereThousandsOfSplatsShareATile) {
  SplatCloud cloud = random_cloud(9000, 0, 15);
  for (std::size_t i = 0; i < cloud.count(); ++i) cloud.at(i, Field::logit_opacity) -= 3;
  expect_matches(cloud, camera_at(40, 50, 40), {});
}

TEST_P(Render, EqualDepthsAreDrawnInTheOrderOfTheFile) {
  // All splats are opaque and on one plane parallel to the image, so the order depends only on
  // ties.
  SplatCloud cloud = random_cloud(3000, 0, 9);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::mean_z) = 2.0f;
    cloud.at(i, Field::logit_opacity) = 6.0f;
  }
  Camera camera;
  camera.width = camera.height = 128;
  camera.focal_px = {128, 128};
  camera.center_px = {64, 64};
  const Frame frame = render(cloud, camera, {});
  const ReferenceFrame expected = render_reference(cloud, camera, {});
  double worst = 0;
  std::size_t off = 0;
  for (std::size_t i = 0; i < expected.rgb.size(); ++i) {
    const double d = std::abs(static_cast<double>(frame.rgb.pixels[i]) - expected.rgb[i]);
    off += d > 1e-4;
    worst = std::max(worst, d);
  }
  EXPECT_LT(off, expected.rgb.size() / 100) << "worst " << worst;
}

TEST_P(Render, NonFiniteSplatsAreDroppedAndCounted) {
  SplatCloud cloud = random_cloud(40, 0, 10);
  const Field bad[] = {Field::mean_x,     Field::mean_z,      Field::log_scale_y,
                       Field::rotation_w, Field::log_scale_z, Field::mean_y};
  const float values[] = {kNaN, kInfinity, kNaN, kInfinity, 200.0f, -kInfinity};
  for (std::size_t i = 0; i < std::size(bad); ++i) cloud.at(i, bad[i]) = values[i];
  for (int k = 0; k < 4; ++k) cloud.at(6, static_cast<Field>(6 + k)) = 0.0f;
  std::vector<std::uint32_t> rest(33);
  std::iota(rest.begin(), rest.end(), 7u);
  const Camera camera = camera_at(2.5, 80, 80);
  FrameStats stats;
  const Frame frame = render(cloud, camera, {}, &stats);
  EXPECT_EQ(stats.dropped, 7u);
  const Frame without = render(reordered(cloud, rest), camera, {});
  for (std::size_t i = 0; i < frame.rgb.pixels.size(); ++i) {
    ASSERT_NEAR(frame.rgb.pixels[i], without.rgb.pixels[i], 1e-6) << i;
  }
}

TEST_P(Render, InfiniteOpacitiesMeanOpaqueOrAbsent) {
  SplatCloud cloud = random_cloud(2, 0, 11);
  for (std::size_t i = 0; i < 2; ++i) {
    for (int k = 0; k < 3; ++k) {
      cloud.at(i, static_cast<Field>(k)) = 0.0f;
      cloud.at(i, static_cast<Field>(3 + k)) = -1.0f;
    }
  }
  const Camera camera = camera_at(3, 65, 65);
  RenderSettings settings;
  settings.outputs.alpha = true;
  const auto center_alpha = [&](float logit) {
    cloud.at(0, Field::logit_opacity) = logit;
    cloud.at(1, Field::logit_opacity) = -kInfinity;
    return render(cloud, camera, settings).alpha.row(31)[33];
  };
  EXPECT_NEAR(center_alpha(kInfinity), 0.99f, 1e-3f);
  EXPECT_EQ(center_alpha(-kInfinity), 0.0f);
  EXPECT_EQ(center_alpha(kNaN), 0.0f);
}

TEST_P(Render, NothingVisibleGivesTheBackground) {
  RenderSettings settings;
  settings.background = {0.25f, 0.5f, 0.75f};
  settings.outputs = {true, true};
  SplatCloud behind = random_cloud(100, 0, 12);
  for (std::size_t i = 0; i < behind.count(); ++i) behind.at(i, Field::mean_z) = -50.0f;
  Camera camera;
  camera.width = 70;
  camera.height = 50;
  camera.focal_px = {60, 60};
  camera.center_px = {35, 25};
  for (const SplatCloud& cloud : {SplatCloud(0, 0), std::move(behind)}) {
    const Frame frame = render(cloud, camera, settings);
    for (std::size_t i = 0; i < frame.rgb.pixels.size(); ++i) {
      ASSERT_EQ(frame.rgb.pixels[i], settings.background[i % 3]);
    }
    for (std::size_t i = 0; i < frame.alpha.pixels.size(); ++i) {
      ASSERT_EQ(frame.alpha.pixels[i], 0.0f);
      ASSERT_EQ(frame.depth_expected.pixels[i], 0.0f);
    }
  }
}

TEST_P(Render, ImageSizesOutsideTheLimitsAreErrors) {
  const auto scene = backend().upload(random_cloud(1, 0, 13));
  Frame frame;
  for (const auto& [width, height] : {std::pair{0, 10}, {10, -1}, {kMaxImageSide + 1, 10}}) {
    Camera camera = camera_at(3, 16, 16);
    camera.width = width;
    camera.height = height;
    EXPECT_THROW(backend().render(*scene, camera, {}, frame), Error);
  }
}

TEST_P(Render, DrawsTheWidestImage) {
  const SplatCloud cloud = random_cloud(50, 0, 14);
  expect_matches(cloud, camera_at(2.5, kMaxImageSide, 40), {});
}

}  // namespace
}  // namespace mote
