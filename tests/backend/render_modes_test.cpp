// Render modes that are not used in training: solid shapes, sizes, counts. On each device that the
// test program is linked with (test_devices.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "render_fixture.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

class RenderModes : public RendersOnEachDevice {};

INSTANTIATE_TEST_SUITE_P(On, RenderModes, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

RenderSettings as(SplatShape shape) {
  RenderSettings settings;
  settings.shape = shape;
  settings.background = {0.1f, 0.2f, 0.3f};
  return settings;
}

/// One splat at the origin with standard deviation 0.1 along each axis.
SplatCloud one_splat() {
  SplatCloud cloud = random_cloud(1, 0, 1);
  for (int axis = 0; axis < 3; ++axis) {
    cloud.at(0, static_cast<Field>(axis)) = 0;
    cloud.at(0, static_cast<Field>(3 + axis)) = std::log(0.1f);
  }
  cloud.at(0, Field::logit_opacity) = 2;
  return cloud;
}

/// On the z axis, looks at the origin.
Camera straight(double distance, int width, int height) {
  Camera camera;
  camera.width = width;
  camera.height = height;
  camera.focal_px = {100, 100};
  camera.center_px = {width / 2.0, height / 2.0};
  camera.translation = {0, 0, distance};
  return camera;
}

TEST_P(RenderModes, EllipsoidsMatchTheReferenceFromAfar) {
  expect_matches(random_cloud(500, 1, 1), camera_at(3, 117, 90), as(SplatShape::ellipsoid));
}

TEST_P(RenderModes, EllipsoidsMatchTheReferenceFromInside) {
  expect_matches(random_cloud(500, 0, 2), camera_at(0.4, 100, 71), as(SplatShape::ellipsoid));
}

TEST_P(RenderModes, EllipsoidsMatchTheReferenceInWideViews) {
  Camera camera = camera_at(1.6, 140, 60);
  camera.focal_px = {30, 33};
  expect_matches(random_cloud(300, 0, 3), camera, as(SplatShape::ellipsoid));
}

TEST_P(RenderModes, NeedlesAndDiscsKeepAVisibleWidth) {
  SplatCloud cloud = random_cloud(80, 0, 4);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::log_scale_x) = -1.5f;
    cloud.at(i, Field::log_scale_y) = i % 2 == 0 ? -2.0f : -11.0f;
    cloud.at(i, Field::log_scale_z) = -12.0f;
  }
  expect_matches(cloud, camera_at(2.5, 120, 100), as(SplatShape::ellipsoid));
}

TEST_P(RenderModes, PointsMatchTheReference) {
  expect_matches(random_cloud(700, 2, 5), camera_at(3, 117, 90), as(SplatShape::point));
}

TEST_P(RenderModes, ScaledSplatsMatchTheReferenceInEveryShape) {
  for (const SplatShape shape : {SplatShape::blended, SplatShape::ellipsoid, SplatShape::point}) {
    for (const float scale : {0.1f, 2.5f}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(shape) << " times " << scale);
      RenderSettings settings = as(shape);
      settings.splat_scale = scale;
      expect_matches(random_cloud(300, 0, 6), camera_at(2.5, 100, 80), settings);
    }
  }
}

TEST_P(RenderModes, ScaledSplatsCentredOutsideTheImageAreDrawn) {
  SplatCloud cloud = one_splat();
  cloud.at(0, Field::mean_x) = 2.6f;  // beyond the right edge, at 160 px of 100
  for (const SplatShape shape : {SplatShape::blended, SplatShape::ellipsoid}) {
    RenderSettings settings = as(shape);
    settings.outputs.alpha = true;
    for (const bool large : {false, true}) {
      settings.splat_scale = large ? 8 : 1;
      const Frame frame = render(cloud, straight(2, 100, 80), settings);
      const auto alpha = frame.alpha.pixels.span();
      EXPECT_EQ(std::any_of(alpha.begin(), alpha.end(), [](float a) { return a > 0; }), large);
    }
  }
}

TEST_P(RenderModes, SolidsOfManySplatsInATileMatchTheReference) {
  expect_matches(random_cloud(3000, 0, 7), camera_at(40, 50, 40), as(SplatShape::ellipsoid));
  expect_matches(random_cloud(3000, 0, 7), camera_at(40, 50, 40), as(SplatShape::point));
}

TEST_P(RenderModes, SolidsFillImagesThatEndWithinATile) {
  const SplatCloud cloud = random_cloud(150, 0, 8);
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 5}, {17, 64}, {65, 15}}) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    const Camera camera = resized(camera_at(2.5, 128, 128), width, height);
    for (const SplatShape shape : {SplatShape::ellipsoid, SplatShape::point}) {
      expect_matches(cloud, camera, as(shape));
    }
  }
}

TEST_P(RenderModes, TransparentSplatsAreLeftOutOfSolids) {
  SplatCloud cloud = one_splat();
  for (const SplatShape shape : {SplatShape::ellipsoid, SplatShape::point}) {
    RenderSettings settings = as(shape);
    settings.outputs.alpha = true;
    for (const float logit : {-3.0f, 1.0f}) {
      cloud.at(0, Field::logit_opacity) = logit;
      const Frame frame = render(cloud, straight(2, 33, 33), settings);
      EXPECT_EQ(frame.alpha.row(16)[16], logit > 0 ? 1.0f : 0.0f);
    }
  }
}

TEST_P(RenderModes, EllipsoidsThatReachTheCameraAreLeftOut) {
  RenderSettings settings = as(SplatShape::ellipsoid);
  settings.outputs.alpha = true;
  for (const double distance : {0.15, 0.25}) {  // of a radius of 0.2
    const Frame frame = render(one_splat(), straight(distance, 33, 33), settings);
    EXPECT_EQ(frame.alpha.row(16)[16], distance > 0.2 ? 1.0f : 0.0f);
  }
}

TEST_P(RenderModes, APointIsADotOfItsRadius) {
  RenderSettings settings = as(SplatShape::point);
  settings.outputs.alpha = true;
  const auto area = [&](float scale) {
    settings.splat_scale = scale;
    const auto frame = render(one_splat(), straight(2, 65, 65), settings);
    const auto alpha = frame.alpha.pixels.span();
    return std::accumulate(alpha.begin(), alpha.end(), 0.0);
  };
  EXPECT_EQ(area(1), 9);      // radius 1.5 about a pixel's centre
  EXPECT_EQ(area(0.01f), 1);  // never nothing
  EXPECT_NEAR(area(4), M_PI * 36, 6);
}

TEST_P(RenderModes, NothingVisibleLeavesTheBackgroundAndNoCounts) {
  for (const SplatShape shape : {SplatShape::blended, SplatShape::ellipsoid, SplatShape::point}) {
    RenderSettings settings = as(shape);
    settings.outputs = {.alpha = true, .depth = true, .overdraw = true, .tile_cost = true};
    const Frame frame = render(SplatCloud(0, 0), straight(2, 40, 20), settings);
    for (std::size_t i = 0; i < frame.rgb.pixels.size(); ++i) {
      ASSERT_EQ(frame.rgb.pixels[i], settings.background[i % 3]);
    }
    for (const Image* image : {&frame.alpha, &frame.depth_expected, &frame.depth_median,
                               &frame.overdraw, &frame.tile_cost}) {
      for (const float value : image->pixels.span()) ASSERT_EQ(value, 0.0f);
    }
  }
}

TEST_P(RenderModes, OverdrawIsTheSameWithAndWithoutDepth) {
  const SplatCloud cloud = random_cloud(300, 0, 9);
  RenderSettings settings;
  settings.outputs.overdraw = true;
  const Frame alone = render(cloud, camera_at(2.5, 70, 50), settings);
  EXPECT_TRUE(alone.depth_expected.pixels.empty());
  settings.outputs.depth = true;
  const Frame both = render(cloud, camera_at(2.5, 70, 50), settings);
  const auto a = alone.overdraw.pixels.span(), b = both.overdraw.pixels.span();
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  EXPECT_GT(*std::max_element(a.begin(), a.end()), 10);
}

TEST_P(RenderModes, TileCostsAreUniformInEachTileAndAddUpToThePairs) {
  const SplatCloud cloud = random_cloud(400, 0, 10);
  for (const SplatShape shape : {SplatShape::blended, SplatShape::ellipsoid}) {
    RenderSettings settings = as(shape);
    settings.outputs.tile_cost = true;
    FrameStats stats;
    const Frame frame = render(cloud, camera_at(2.5, 150, 110), settings, &stats);
    // The device's tiles are squares of 16 or 32 px. Takes the largest size at which each tile has
    // one number.
    const auto adds_up = [&](int side) {
      double sum = 0;
      for (int y = 0; y < 110; ++y) {
        for (int x = 0; x < 150; ++x) {
          const float here = frame.tile_cost.row(y)[x];
          if (here != frame.tile_cost.row(y / side * side)[x / side * side]) return false;
          if (x % side == 0 && y % side == 0) sum += static_cast<double>(here);
        }
      }
      return sum == static_cast<double>(stats.pairs);
    };
    EXPECT_NE(adds_up(16), adds_up(32));
    EXPECT_GT(stats.pairs, 400u);
  }
}

TEST_P(RenderModes, ScalesOutsideTheirRangeAreErrors) {
  const auto scene = backend().upload(random_cloud(1, 0, 11));
  Frame frame;
  for (const float scale : {0.0f, -1.0f, 11.0f, NAN}) {
    RenderSettings settings;
    settings.splat_scale = scale;
    EXPECT_THROW(backend().render(*scene, straight(2, 16, 16), settings, frame), Error);
  }
}

}  // namespace
}  // namespace mote
