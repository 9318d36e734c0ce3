#include "app/viewer/camera/pose.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>
#include <numbers>

#include "app/viewer/camera/navigator.h"
#include "core/random.h"

namespace mote {
namespace {

const glm::dvec3 kUp(0, -1, 0);

/// A general pose.
Pose some_pose() {
  Camera camera = make_lens(0.9, 800, 600);
  look_at(camera, {1.5, -2, -4}, {0.2, 0.3, 0.5}, kUp);
  return pose_of(camera, 5);
}

glm::dvec2 projected(const Camera& camera, const glm::dvec3& point) {
  const glm::dvec3 p = camera.cam_from_world * point + camera.translation;
  return camera.center_px + camera.focal_px * glm::dvec2(p.x, p.y) / p.z;
}

double tilt(const Pose& pose, const glm::dvec3& up) {
  return glm::dot(pose.right(), glm::normalize(up));
}

TEST(Pose, GivesBackTheCameraItWasMadeFrom) {
  Camera lens = make_lens(0.9, 801, 600);
  lens.center_px += glm::dvec2(3, -2);
  look_at(lens, {1, -2, -3}, {0, 0, 1}, kUp);
  const Camera back = camera_at(pose_of(lens, 3), lens, 801, 600);
  EXPECT_EQ(back.focal_px, lens.focal_px);
  EXPECT_EQ(back.center_px, lens.center_px);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(glm::length(back.cam_from_world[i] - lens.cam_from_world[i]), 1e-12);
    EXPECT_NEAR(back.translation[i], lens.translation[i], 1e-12);
  }
}

TEST(Pose, KeepsItsFieldOfViewAcrossTheShorterSideInAnyFrame) {
  const Camera lens = make_lens(0.7, 1280, 720);
  EXPECT_NEAR(field_of_view(lens), 0.7, 1e-12);
  EXPECT_NEAR(field_of_view(make_lens(0.7, 300, 900)), 0.7, 1e-12);
}

TEST(Orbit, KeepsTheFocusWhereItIsAndTheHorizonLevel) {
  Pose pose = some_pose();
  const glm::dvec3 focus = pose.focus_world();
  for (int i = 0; i < 50; ++i) {
    pose = orbited(pose, kUp, 0.17, i % 7 < 3 ? 0.2 : -0.13);
    EXPECT_LT(glm::length(pose.focus_world() - focus), 1e-9);
    EXPECT_NEAR(tilt(pose, kUp), 0, 1e-9);
    EXPECT_LT(glm::dot(pose.down(), kUp), 0) << "the head is down at step " << i;
  }
}

TEST(Orbit, MovesPointsInFrontOfTheFocusRightAndTheEyeUp) {
  const Pose pose = some_pose();
  const Camera before = camera_at(pose, make_lens(0.9), 800, 600);
  const glm::dvec3 near_point = pose.eye_world + 0.5 * pose.focus_distance * pose.forward();
  const Pose right = orbited(pose, kUp, 0.1, 0);
  EXPECT_GT(projected(camera_at(right, make_lens(0.9), 800, 600), near_point).x,
            projected(before, near_point).x);
  const Pose higher = orbited(pose, kUp, 0, 0.1);
  EXPECT_GT(glm::dot(higher.eye_world, kUp), glm::dot(pose.eye_world, kUp));
}

TEST(Orbit, StopsShortOfThePolesAndComesBackTheSameWay) {
  for (const double side : {1.0, -1.0}) {
    Pose pose = some_pose();
    for (int i = 0; i < 40; ++i) pose = orbited(pose, kUp, 0, 0.2 * side);
    EXPECT_LT(std::abs(glm::dot(pose.forward(), kUp)), 1);
    EXPECT_NEAR(std::abs(glm::dot(pose.forward(), kUp)), 1, 1e-3);
    const glm::dvec3 right = pose.right();
    pose = orbited(pose, kUp, 0, -0.5 * side);
    EXPECT_LT(glm::length(pose.right() - right), 1e-9) << "it flipped over the pole";
  }
}

TEST(Orbit, LeavesAVerticalPoseWithoutAJump) {
  Camera camera = make_lens(0.9);
  look_at(camera, {0, -5, 0}, {0, 0, 0}, {0, 0, 1});
  const Pose down = pose_of(camera, 5);
  const Pose pose = orbited(down, kUp, 0, -0.3);
  EXPECT_LT(glm::length(pose.right() - down.right()), 1e-6);
  EXPECT_LT(glm::length(pose.focus_world()), 1e-9);
}

TEST(Turning, KeepsTheEyeAndShowsWhatIsToTheRight) {
  const Pose pose = some_pose();
  const Pose right = turned(pose, kUp, 0.2, 0.1);
  EXPECT_LT(glm::length(right.eye_world - pose.eye_world), 1e-12);
  EXPECT_GT(glm::dot(right.forward(), pose.right()), 0);
  EXPECT_GT(glm::dot(right.forward(), kUp), glm::dot(pose.forward(), kUp));
  EXPECT_NEAR(tilt(right, kUp), 0, 1e-9);
}

TEST(Panning, KeepsThePointOfTheFocalPlaneUnderTheCursor) {
  const Pose pose = some_pose();
  const Camera before = camera_at(pose, make_lens(0.9), 800, 600);
  const glm::dvec2 cursor(200, 450), moved(37, -81);
  const glm::dvec3 point = unprojected(before, cursor, pose.focus_distance);
  const Camera after = camera_at(panned(pose, before, moved), make_lens(0.9), 800, 600);
  EXPECT_LT(glm::length(projected(after, point) - (cursor + moved)), 1e-9);
}

TEST(Zooming, KeepsThePointOfTheFocalPlaneUnderTheCursor) {
  const Pose pose = some_pose();
  const Camera before = camera_at(pose, make_lens(0.9), 800, 600);
  const glm::dvec2 cursor(650, 100);
  const glm::dvec3 point = unprojected(before, cursor, pose.focus_distance);
  for (const double factor : {0.5, 3.0}) {
    const Pose pose_after = zoomed(pose, before, cursor, factor);
    const Camera after = camera_at(pose_after, make_lens(0.9), 800, 600);
    EXPECT_LT(glm::length(projected(after, point) - cursor), 1e-9);
    EXPECT_NEAR(pose_after.focus_distance, factor * pose.focus_distance, 1e-12);
  }
}

TEST(Focusing, PutsThePointInTheMiddleWithoutMovingTheEye) {
  const Pose pose = some_pose();
  const glm::dvec3 point(2, 1, 3);
  const Pose after = focused(pose, kUp, point);
  EXPECT_LT(glm::length(after.eye_world - pose.eye_world), 1e-12);
  EXPECT_LT(glm::length(after.focus_world() - point), 1e-9);
  EXPECT_EQ(focused(pose, kUp, pose.eye_world).focus_distance, pose.focus_distance);
}

TEST(Framing, FillsTheFrameWithTheWholeBall) {
  const SceneExtent extent{{3, -1, 2}, 2.5};
  for (const auto& [width, height] : {std::pair{800, 600}, std::pair{400, 900}}) {
    const Camera lens = make_lens(0.9, width, height);
    const Pose pose = framed(some_pose(), lens, extent);
    const Camera camera = camera_at(pose, lens, width, height);
    const glm::dvec3 across = width > height ? pose.down() : pose.right();
    const glm::dvec2 edge = projected(camera, extent.center + extent.radius * across);
    const double reach = width > height ? edge.y / height : edge.x / width;
    EXPECT_LT(reach, 1);
    EXPECT_GT(reach, 0.85);
    EXPECT_LT(glm::length(pose.focus_world() - extent.center), 1e-9);
  }
}

TEST(Unprojecting, IsTheInverseOfProjecting) {
  const Camera camera = camera_at(some_pose(), make_lens(0.9), 800, 600);
  Random random(5, 1);
  for (int i = 0; i < 100; ++i) {
    const glm::dvec2 px(800 * random.uniform(), 600 * random.uniform());
    EXPECT_LT(glm::length(projected(camera, unprojected(camera, px, 0.1 + i)) - px), 1e-8);
  }
}

TEST(Navigator, ArrivesAtItsTargetForAnyTimeSteps) {
  Navigator fine, coarse;
  for (Navigator* navigator : {&fine, &coarse}) {
    navigator->go_to(some_pose(), true);
    navigator->orbit(0.8, 0.3);
    EXPECT_TRUE(navigator->moving());
  }
  for (int i = 0; i < 64; ++i) fine.advance(0.16 / 64);
  coarse.advance(0.16);
  EXPECT_LT(glm::length(fine.pose().eye_world - coarse.pose().eye_world), 1e-9);
  EXPECT_LT(glm::length(fine.pose().focus_world() - some_pose().focus_world()), 1e-9);
  for (int i = 0; i < 100; ++i) coarse.advance(0.05);
  EXPECT_FALSE(coarse.moving());
  EXPECT_EQ(coarse.pose().eye_world, coarse.target().eye_world);
}

TEST(Navigator, LooksAroundWithoutMovingTheEye) {
  Navigator navigator;
  navigator.go_to(some_pose(), true);
  navigator.look(1.2, 0);
  for (int i = 0; i < 10; ++i) {
    navigator.advance(0.02);
    EXPECT_LT(glm::length(navigator.pose().eye_world - some_pose().eye_world), 1e-12);
  }
}

TEST(Navigator, FliesAtTheSetSpeedAndStopsWhenTheKeyIsReleased) {
  Navigator navigator;
  navigator.go_to(some_pose(), true);
  navigator.set_smoothing(0);
  navigator.set_speed(2);
  navigator.fly({{0, 0, 1}, 1.5});
  for (int i = 0; i < 10; ++i) navigator.advance(0.1);
  const glm::dvec3 way = navigator.pose().eye_world - some_pose().eye_world;
  EXPECT_NEAR(glm::dot(way, some_pose().forward()), 3, 1e-9);
  navigator.fly({});
  const glm::dvec3 there = navigator.pose().eye_world;
  navigator.advance(1);
  EXPECT_EQ(navigator.pose().eye_world, there);
  EXPECT_FALSE(navigator.moving());
}

TEST(Navigator, MovesAtOnceWithoutSmoothing) {
  Navigator navigator;
  navigator.set_smoothing(0);
  navigator.zoom({640, 360}, 0.5);
  EXPECT_FALSE(navigator.moving());
  EXPECT_NEAR(navigator.pose().focus_distance, 2, 1e-12);
}

}  // namespace
}  // namespace mote
