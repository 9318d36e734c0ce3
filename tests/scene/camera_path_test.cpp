// Default camera positions, and the change of a camera with the size of its image.
#include "scene/camera_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <random>

#include "splats/extent.h"
#include "splats/transform.h"

namespace mote {
namespace {

/// A ball of opaque splats around (1, 2, 3) with radius 2, and `stray` far away.
SplatCloud ball(std::size_t count, std::size_t stray) {
  SplatCloud cloud(count + stray, 0);
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    glm::vec3 direction(normal(random), normal(random), normal(random));
    direction = glm::normalize(direction) * (i < count ? 2.0f : 5000.0f);
    cloud.at(i, Field::mean_x) = 1 + direction.x;
    cloud.at(i, Field::mean_y) = 2 + direction.y;
    cloud.at(i, Field::mean_z) =
        3 + std::abs(direction.z) * (i < count ? std::copysign(1.0f, direction.z) : 1.0f);
    cloud.at(i, Field::logit_opacity) = 3;
  }
  return cloud;
}

glm::dvec3 in_camera(const Camera& camera, glm::dvec3 point) {
  return camera.cam_from_world * point + camera.translation;
}

TEST(SceneExtent, IgnoresStraySplats) {
  const SceneExtent extent = scene_extent(ball(2000, 100));
  EXPECT_NEAR(glm::length(extent.center - glm::dvec3(1, 2, 3)), 0, 0.5);
  EXPECT_GT(extent.radius, 1.8);
  EXPECT_LT(extent.radius, 4.4);
}

TEST(SceneExtent, TransparentAndNonFiniteSplatsDoNotCount) {
  SplatCloud cloud = ball(1000, 0);
  for (std::size_t i = 0; i < 600; ++i) {
    cloud.at(i, Field::mean_x) = 900;
    cloud.at(i, Field::logit_opacity) = -std::numeric_limits<float>::infinity();
  }
  for (std::size_t i = 600; i < 700; ++i) {
    cloud.at(i, Field::mean_y) = std::numeric_limits<float>::quiet_NaN();
  }
  EXPECT_NEAR(scene_extent(cloud).center.x, 1, 0.6);
  EXPECT_NEAR(scene_extent(cloud).radius, 2, 0.3);
}

TEST(SceneExtent, NothingVisibleGivesTheUnitBall) {
  EXPECT_EQ(scene_extent(SplatCloud()).radius, 1);
  SplatCloud cloud = ball(1, 0);
  EXPECT_EQ(scene_extent(cloud).radius, 1);
}

TEST(Orbit, EveryViewLooksAtTheCenterWithTheSceneInsideTheFrameAndUpUpwards) {
  const SceneExtent extent{{1, 2, 3}, 2};
  for (const glm::dvec3 up : {glm::dvec3(0, -1, 0), glm::dvec3(0, 0, 1), glm::dvec3(1, 0, 0)}) {
    const OrbitOptions options{.count = 7, .width = 300, .height = 500, .up_world = up};
    const auto views = orbit_views(extent, options);
    ASSERT_EQ(views.size(), 7u);
    for (const View& view : views) {
      const Camera& camera = view.camera;
      const glm::dvec3 center = in_camera(camera, extent.center);
      EXPECT_NEAR(center.x, 0, 1e-9);
      EXPECT_NEAR(center.y, 0, 1e-9);
      // The cone around the ball's outline nearly touches the shorter side.
      const double outline = std::tan(std::asin(extent.radius / center.z));
      EXPECT_LT(outline * camera.focal_px.x, 145);
      EXPECT_GT(outline * camera.focal_px.x, 120);
      EXPECT_LT(in_camera(camera, extent.center + up).y, -0.5);
      EXPECT_GT(glm::dot(camera.position_world() - extent.center, up), 0);
    }
    EXPECT_GT(glm::length(views[0].camera.position_world() - views[3].camera.position_world()), 5);
  }
}

TEST(Orbit, NamesSortInTheOrderOfTheViews) {
  const auto views = orbit_views({}, {.count = 12});
  for (std::size_t i = 1; i < views.size(); ++i) EXPECT_LT(views[i - 1].name, views[i].name);
}

TEST(Closeup, StandsJustInFrontOfTheSurface) {
  const SplatCloud cloud = ball(20000, 0);
  const SceneExtent extent = scene_extent(cloud);
  const Camera camera = closeup_view(cloud, extent, {}).camera;
  const double distance = glm::length(camera.position_world() - extent.center) - 2;
  EXPECT_GT(distance, 0.1);
  EXPECT_LT(distance, 0.8);
  EXPECT_GT(in_camera(camera, extent.center).z, 2);
}

TEST(SceneSamples, OfSeveralPlacedCloudsAreThoseOfAllTheirSplatsInOneCloud) {
  const Similarity moved{.scale = 2, .translation = {10, 0, 1}};
  const SplatCloud first = ball(150'000, 3), second = ball(150'001, 0);
  SplatCloud whole(300'004, 0), placed = ball(150'001, 0);
  transform(placed, moved);
  std::size_t splats = 0;
  for (std::size_t i = 0; i < first.count(); ++i) copy_splat(first, i, whole, splats++);
  for (std::size_t i = 0; i < placed.count(); ++i) copy_splat(placed, i, whole, splats++);
  SceneSamples one(whole.count()), several(whole.count());
  one.add(whole);
  several.add(first);
  several.add(second, moved);
  ASSERT_EQ(several.all().size(), 150'002u) << "every second splat";
  ASSERT_EQ(one.all().size(), several.all().size());
  for (std::size_t i = 0; i < one.all().size(); ++i) {
    ASSERT_EQ(one.all()[i].mean_world, several.all()[i].mean_world) << i;
  }
  EXPECT_EQ(scene_extent(several).center, scene_extent(whole).center);
  EXPECT_EQ(closeup_view(several, scene_extent(whole), {}).camera.position_world(),
            closeup_view(whole, scene_extent(whole), {}).camera.position_world());
}

TEST(Fitted, KeepsSquarePixelsAndTheWholeView) {
  Camera camera;
  camera.width = 200;
  camera.height = 100;
  camera.focal_px = {150, 160};
  camera.center_px = {90, 55};
  const Camera wide = fitted(camera, 400, 100);
  EXPECT_EQ(wide.focal_px, glm::dvec2(150, 160));
  EXPECT_EQ(wide.center_px, glm::dvec2(190, 55));
  const Camera tall = fitted(camera, 100, 100);
  EXPECT_EQ(tall.focal_px, glm::dvec2(75, 80));
  EXPECT_EQ(tall.center_px, glm::dvec2(45, 52.5));
  const Camera twice = fitted(camera, 400, 200), same = resized(camera, 400, 200);
  EXPECT_EQ(twice.focal_px, same.focal_px);
  EXPECT_EQ(twice.center_px, same.center_px);
}

}  // namespace
}  // namespace mote
