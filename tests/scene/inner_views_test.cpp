// The test views of few photographs are seen by the others.
#include "scene/inner_views.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace mote {
namespace {

/// Looks along +z from a position.
Camera ahead(double x, double y = 0) {
  Camera camera;
  camera.width = 60;
  camera.height = 40;
  camera.focal_px = {50, 50};
  camera.center_px = {30, 20};
  camera.translation = {-x, -y, 0};
  return camera;
}

std::vector<Camera> walk(int count, double step) {
  std::vector<Camera> cameras;
  for (int i = 0; i < count; ++i) cameras.push_back(ahead(step * i));
  return cameras;
}

/// A wall at z = 4 along the walk.
PointCloud wall(double length) {
  PointCloud points;
  for (double x = -2; x < length + 2; x += 0.1) {
    for (double y = -1.5; y < 1.5; y += 0.3) points.positions.emplace_back(x, y, 4);
  }
  points.colors.resize(points.positions.size());
  return points;
}

TEST(InnerViews, NeitherEndsNorNeighboursOfAWalkAreChosen) {
  for (const int count : {4, 7, 11, 19}) {
    SCOPED_TRACE(count);
    const std::size_t wanted = static_cast<std::size_t>(count + 7) / 8;
    for (const bool has_points : {true, false}) {
      const InnerViews inner = choose_inner_views(
          walk(count, 0.8), has_points ? wall(0.8 * count) : PointCloud(), wanted);
      ASSERT_EQ(inner.views.size(), wanted);
      EXPECT_GT(inner.views.front(), 0u);
      EXPECT_LT(inner.views.back(), static_cast<std::uint32_t>(count - 1));
      for (std::size_t i = 1; i < wanted; ++i) EXPECT_GE(inner.views[i] - inner.views[i - 1], 3u);
    }
  }
  EXPECT_GT(choose_inner_views(walk(11, 0.8), wall(8.8), 2).least_seen, 0.9);
}

TEST(InnerViews, AViewThatLooksElsewhereIsNotChosen) {
  std::vector<Camera> cameras = walk(9, 0.5);
  for (const std::size_t stray : {3u, 4u, 5u}) {
    cameras[stray].cam_from_world = glm::dmat3(-1, 0, 0, 0, 1, 0, 0, 0, -1);  // looks backwards
    cameras[stray].translation = {0.5 * static_cast<double>(stray), 0, 0};
  }
  const InnerViews inner = choose_inner_views(cameras, wall(4.5), 2);
  for (const std::uint32_t view : inner.views) EXPECT_TRUE(view < 3 || view > 5) << view;
}

TEST(InnerViews, TheLeastSharedFractionRevealsViewsThatNoOtherSees) {
  std::vector<Camera> cameras;
  PointCloud points;
  for (int i = 0; i < 4; ++i) {
    cameras.push_back(ahead(100 * i));
    for (int p = 0; p < 20; ++p) points.positions.emplace_back(100 * i + 0.05 * p, 0, 4);
  }
  EXPECT_EQ(choose_inner_views(cameras, points, 1).least_seen, 0);
  EXPECT_TRUE(choose_inner_views(cameras, {}, 0).views.empty());
}

TEST(InnerViews, AroundAnObjectTheyAreSpreadAndReproducible) {
  std::vector<Camera> cameras;
  for (int i = 0; i < 16; ++i) {
    const double angle = 2 * std::numbers::pi * i / 16;
    Camera camera = ahead(0);
    look_at(camera, {4 * std::cos(angle), 0, 4 * std::sin(angle)}, {0, 0, 0}, {0, -1, 0});
    cameras.push_back(camera);
  }
  const InnerViews inner = choose_inner_views(cameras, {}, 2);
  ASSERT_EQ(inner.views.size(), 2u);
  EXPECT_GE(inner.views[1] - inner.views[0], 3u);
  EXPECT_EQ(choose_inner_views(cameras, {}, 2).views, inner.views);
}

}  // namespace
}  // namespace mote
