// The circle of cameras around a scene: it is fitted to them and walked in even steps.
#include "scene/camera_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>
#include <vector>

#include "core/random.h"

namespace mote {
namespace {

const glm::dvec3 kFocus(3, -2, 5);
const glm::dvec3 kUp = glm::normalize(glm::dvec3(0.2, -1, 0.1));

View view_from(glm::dvec3 eye, glm::dvec3 target, glm::dvec3 up) {
  View view;
  view.camera.width = 64;
  view.camera.height = 48;
  view.camera.focal_px = {50, 50};
  view.camera.center_px = {32, 24};
  look_at(view.camera, eye, target, up);
  return view;
}

/// Cameras around kFocus: up to `jitter` off the circle of radius 4 at height 1.5, and off their
/// aim.
std::vector<View> around(int count, double jitter) {
  const glm::dvec3 right = glm::normalize(glm::cross(kUp, glm::dvec3(0, 0, 1)));
  const glm::dvec3 front = glm::cross(right, kUp);
  Random random(9);
  const auto off = [&] {
    const auto one = [&] { return jitter * (2 * random.uniform() - 1); };
    const double x = one(), y = one(), z = one();
    return glm::dvec3(x, y, z);
  };
  std::vector<View> views;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * i / count;
    const glm::dvec3 eye = kFocus + 4.0 * (std::cos(angle) * front + std::sin(angle) * right);
    views.push_back(view_from(eye + 1.5 * kUp + off(), kFocus + off(), kUp));
  }
  return views;
}

TEST(CameraRing, IsFoundFromItsCameras) {
  for (const double jitter : {0.0, 0.3}) {
    const auto ring = find_camera_ring(around(40, jitter));
    ASSERT_TRUE(ring.has_value());
    EXPECT_NEAR(glm::length(ring->focus_world - kFocus), 0, jitter / 2 + 1e-9);
    EXPECT_NEAR(glm::dot(ring->up_world, kUp), 1, jitter / 50 + 1e-9);
    EXPECT_NEAR(ring->radius, 4, jitter / 3 + 1e-9);
    EXPECT_NEAR(ring->height, 1.5, jitter / 3 + 1e-9);
  }
}

TEST(CameraRing, ItsViewsMatchTheCamerasOnIt) {
  const auto cameras = around(12, 0);
  const auto ring = find_camera_ring(cameras);
  ASSERT_TRUE(ring.has_value());
  const auto views = ring_views(*ring, 12);
  ASSERT_EQ(views.size(), 12u);
  EXPECT_EQ(views[0].name, "orbit_000");
  EXPECT_EQ(views[11].name, "orbit_011");
  for (const View& view : views) {
    EXPECT_EQ(view.camera.width, 64);
    EXPECT_EQ(view.camera.focal_px, glm::dvec2(50, 50));
    double nearest = 1e9;
    for (const View& camera : cameras) {
      nearest = std::min(
          nearest, glm::length(camera.camera.position_world() - view.camera.position_world()));
    }
    EXPECT_NEAR(nearest, 0, 1e-9);
    const glm::dvec3 seen = view.camera.cam_from_world * kFocus + view.camera.translation;
    EXPECT_NEAR(seen.x, 0, 1e-9);
    EXPECT_NEAR(seen.y, 0, 1e-9);
    EXPECT_GT(seen.z, 4);
  }
}

double angle_between(const View& a, const View& b) {
  const auto outward = [](const View& view) {
    const glm::dvec3 offset = view.camera.position_world() - kFocus;
    return glm::normalize(offset - glm::dot(offset, kUp) * kUp);
  };
  return std::acos(std::clamp(glm::dot(outward(a), outward(b)), -1.0, 1.0)) * 180 /
         std::numbers::pi;
}

TEST(CameraRing, ItsViewsStayOnThePhotographedArc) {
  std::vector<View> cameras = around(36, 0);
  // Seventy degrees of it, not starting at an end.
  cameras.resize(8);
  std::rotate(cameras.begin(), cameras.begin() + 3, cameras.end());
  const auto ring = find_camera_ring(cameras);
  ASSERT_TRUE(ring.has_value());
  // About the mean of the cameras' up directions, which lean together if all stand on one side.
  constexpr double kLean = 8;  // degrees
  EXPECT_NEAR(ring->arc * 180 / std::numbers::pi, 70, kLean);
  const auto views = ring_views(*ring, 8);
  for (const View& view : views) {
    double nearest = 180;
    for (const View& camera : cameras) nearest = std::min(nearest, angle_between(view, camera));
    EXPECT_NEAR(nearest, 0, 1);
  }
  EXPECT_NEAR(angle_between(views.front(), views.back()), 70, kLean);
  const auto wider = ring_views(*ring, 8, 120);
  EXPECT_NEAR(angle_between(wider.front(), wider.back()), 120, 2 * kLean);
  EXPECT_NEAR(angle_between(wider.front(), views.front()), 25, kLean);
  EXPECT_NEAR(angle_between(ring_views(*ring, 2, 360)[0], ring_views(*ring, 2, 360)[1]), 180,
              kLean);
  EXPECT_NEAR(angle_between(ring_views(*ring, 1)[0], views.front()), 35, kLean);
}

TEST(CameraRing, TwoNeighbouringCamerasFormNoCircle) {
  std::vector<View> cameras = around(36, 0);
  cameras.resize(2);
  const auto ring = find_camera_ring(cameras);
  ASSERT_TRUE(ring.has_value());
  EXPECT_NEAR(ring->arc * 180 / std::numbers::pi, 10, 2);
}

TEST(CameraRing, AFewCamerasAllAroundFormACircle) {
  for (const int count : {3, 4, 7, 40}) {
    const auto ring = find_camera_ring(around(count, 0.1));
    ASSERT_TRUE(ring.has_value());
    EXPECT_EQ(ring->arc, 2 * std::numbers::pi) << count;
  }
}

TEST(CameraRing, IsNotFoundWithoutACircle) {
  EXPECT_FALSE(find_camera_ring({}));
  EXPECT_FALSE(find_camera_ring(around(1, 0)));
  std::vector<View> parallel, outward, above;
  for (int i = 0; i < 8; ++i) {
    const glm::dvec3 side(0.3 * i, 0.1 * (i % 3), 0);
    parallel.push_back(view_from(side, side + glm::dvec3(0, 0, 1), {0, -1, 0}));
    above.push_back(view_from({0, -5, 0}, {0, 0, 0}, {std::cos(i), 0, std::sin(i)}));
  }
  for (const View& view : around(8, 0)) {
    const glm::dvec3 eye = view.camera.position_world();
    outward.push_back(view_from(eye, eye + (eye - kFocus), kUp));
  }
  EXPECT_FALSE(find_camera_ring(parallel));
  EXPECT_FALSE(find_camera_ring(outward));
  EXPECT_FALSE(find_camera_ring(above));
}

}  // namespace
}  // namespace mote
