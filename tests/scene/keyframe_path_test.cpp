// The motion of a camera between keyframes.
#include "scene/keyframe_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <numbers>
#include <random>

#include "core/error.h"

namespace mote {
namespace {

constexpr double kPi = std::numbers::pi;

/// Uneven in time, place, turn and field of view.
KeyframePath wild_path(bool loop = false, bool constant_speed = false) {
  std::mt19937 random(5);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  KeyframePath path{.loop = loop, .constant_speed = constant_speed};
  double time = 3;
  for (int i = 0; i < 7; ++i) {
    const glm::dvec3 axis = glm::normalize(glm::dvec3(uniform(), uniform(), uniform() + 0.1));
    path.keyframes.push_back({time,
                              {4 * uniform(), 2 * uniform(), 3 * uniform()},
                              glm::angleAxis(2 * uniform(), axis),
                              0.4 + uniform()});
    time += 0.2 + 2 * uniform();
  }
  return path;
}

double angle_between(const glm::dquat& a, const glm::dquat& b) {
  const glm::dquat q = glm::conjugate(glm::normalize(a)) * glm::normalize(b);
  return 2 * std::atan2(glm::length(glm::dvec3(q.x, q.y, q.z)), std::abs(q.w));
}

struct Rates {
  glm::dvec3 velocity, turn;
  double zoom;
};

/// By differences over a short time on one side.
Rates rates_at(const CameraSpline& spline, double t, double dt) {
  const CameraKeyframe a = spline.at(t), b = spline.at(t + dt);
  glm::dquat q = glm::conjugate(a.world_from_cam) * b.world_from_cam;
  if (q.w < 0) q = -q;
  return {(b.position_world - a.position_world) / dt, 2.0 * glm::dvec3(q.x, q.y, q.z) / dt,
          std::log(b.field_of_view / a.field_of_view) / dt};
}

TEST(KeyframePath, PassesEachKeyframeAtItsTime) {
  for (const bool loop : {false, true}) {
    const KeyframePath path = wild_path(loop);
    const CameraSpline spline(path);
    for (const CameraKeyframe& key : path.keyframes) {
      const CameraKeyframe state = spline.at(key.time_s - 3);
      EXPECT_LT(glm::length(state.position_world - key.position_world), 1e-9);
      EXPECT_LT(angle_between(state.world_from_cam, key.world_from_cam), 1e-6);
      EXPECT_NEAR(state.field_of_view, key.field_of_view, 1e-9);
    }
  }
}

TEST(KeyframePath, VelocitiesOfMovingTurningAndZoomingAreContinuousThroughKeyframes) {
  constexpr double kStep = 1e-5;
  for (const bool loop : {false, true}) {
    const KeyframePath path = wild_path(loop);
    const CameraSpline spline(path);
    for (std::size_t i = loop ? 0 : 1; i + 1 < path.keyframes.size(); ++i) {
      const double t = path.keyframes[i].time_s - 3 + (i == 0 ? spline.duration_s() : 0);
      const Rates before = rates_at(spline, t - kStep, kStep), after = rates_at(spline, t, kStep);
      EXPECT_LT(glm::length(before.velocity - after.velocity), 0.01) << i;
      EXPECT_LT(glm::length(before.turn - after.turn), 0.01) << i;
      EXPECT_NEAR(before.zoom, after.zoom, 0.01) << i;
      EXPECT_GT(glm::length(before.velocity), 0.05) << i;
    }
  }
}

TEST(KeyframePath, ALoopEndsWhereItBegan) {
  KeyframePath path = wild_path(true);
  path.closing_s = 1.5;
  const CameraSpline spline(path);
  EXPECT_NEAR(spline.duration_s(), path.keyframes.back().time_s - 3 + 1.5, 1e-12);
  const CameraKeyframe end = spline.at(spline.duration_s() - 1e-7), start = spline.at(0),
                       again = spline.at(2 * spline.duration_s());
  EXPECT_LT(glm::length(end.position_world - start.position_world), 1e-5);
  EXPECT_LT(glm::length(again.position_world - start.position_world), 1e-9);
}

TEST(KeyframePath, AnOpenPathStopsAtItsEnds) {
  const KeyframePath path = wild_path();
  const CameraSpline spline(path);
  EXPECT_EQ(spline.at(-5).position_world, path.keyframes.front().position_world);
  EXPECT_LT(glm::length(spline.at(1e9).position_world - path.keyframes.back().position_world),
            1e-12);
}

TEST(KeyframePath, AtConstantSpeedEqualTimesCoverEqualDistances) {
  KeyframePath path;
  const double angles[] = {0, 0.2, 1.1, 1.5, 2.9};
  for (int i = 0; i < 5; ++i) {  // around a circle, looking inwards, keyframes unevenly spaced
    Camera camera;
    camera.width = camera.height = 100;
    camera.focal_px = {100, 100};
    look_at(camera, 3.0 * glm::dvec3(std::cos(angles[i]), 0, std::sin(angles[i])), {0, 0, 0},
            {0, -1, 0});
    path.keyframes.push_back(keyframe_of(camera, i));
  }
  const auto spread = [&](bool constant_speed) {
    path.constant_speed = constant_speed;
    const CameraSpline spline(path);
    double least = 1e9, most = 0;
    for (int i = 0; i < 200; ++i) {
      const double step = glm::length(spline.at((i + 1) * 0.02).position_world -
                                      spline.at(i * 0.02).position_world);
      least = std::min(least, step);
      most = std::max(most, step);
    }
    return most / least;
  };
  EXPECT_LT(spread(true), 1.02);
  EXPECT_GT(spread(false), 2);
}

TEST(KeyframePath, ACameraThatTurnsInPlaceAtConstantSpeedTakesItsTime) {
  KeyframePath path{.constant_speed = true};
  for (int i = 0; i < 3; ++i) {
    path.keyframes.push_back(
        {1.0 * i, {0, 0, 0}, glm::angleAxis(0.5 * i, glm::dvec3(0, 1, 0)), 0.8});
  }
  const CameraSpline spline(path);
  for (int i = 1; i < 20; ++i) {
    EXPECT_NEAR(angle_between(spline.at(0.1 * i).world_from_cam, spline.at(0).world_from_cam),
                0.05 * i, 1e-3);
  }
}

TEST(KeyframePath, ATurnInPlaceStaysInPlaceAndTakesTheShortWay) {
  KeyframePath path;
  path.keyframes = {{0, {1, 2, 3}, {1, 0, 0, 0}, 0.8},
                    {1, {1, 2, 3}, -glm::angleAxis(1.0, glm::dvec3(0, 0, 1)), 0.8}};
  const CameraSpline spline(path);
  for (int i = 0; i <= 10; ++i) {
    const CameraKeyframe state = spline.at(0.1 * i);
    EXPECT_LT(glm::length(state.position_world - glm::dvec3(1, 2, 3)), 1e-12);
    EXPECT_NEAR(angle_between(state.world_from_cam, {1, 0, 0, 0}), 0.1 * i, 1e-9);
  }
}

TEST(KeyframePath, APauseIsAPause) {
  KeyframePath path;
  for (const auto& [time, x] :
       {std::pair{0.0, 0.0}, {1.0, 1.0}, {3.0, 1.0}, {4.0, 2.0}, {5.0, 4.0}}) {
    path.keyframes.push_back({time, {x, 0, 0}, {1, 0, 0, 0}, 0.8});
  }
  const CameraSpline spline(path);
  for (double t = 1; t <= 3; t += 0.1) EXPECT_NEAR(spline.at(t).position_world.x, 1, 0.02) << t;
}

TEST(KeyframePath, BetweenKeyframesOnALineTheCameraNeverMovesBackwards) {
  KeyframePath path;
  const double times[] = {0, 0.1, 3, 3.2, 9}, places[] = {0, 5, 5.5, 20, 20.2};
  for (int i = 0; i < 5; ++i) {
    path.keyframes.push_back({times[i], {places[i], 0, 0}, {1, 0, 0, 0}, 0.8});
  }
  const CameraSpline spline(path);
  double last = -1;
  for (double t = 0; t < 9; t += 0.01) {
    EXPECT_GE(spline.at(t).position_world.x, last - 1e-9) << t;
    last = spline.at(t).position_world.x;
  }
}

TEST(KeyframePath, AKeyframeOfACameraShowsTheSamePicture) {
  Camera camera;
  camera.width = 300;
  camera.height = 200;
  camera.focal_px = {250, 250};
  camera.center_px = {150, 100};
  look_at(camera, {1, 2, 3}, {-1, 0.5, 0}, {0, -1, 0.2});
  const Camera again = camera_of(keyframe_of(camera, 0), 300, 200);
  EXPECT_LT(glm::length(again.focal_px - camera.focal_px), 1e-9);
  EXPECT_EQ(again.center_px, camera.center_px);
  EXPECT_LT(glm::length(again.translation - camera.translation), 1e-9);
  for (int c = 0; c < 3; ++c) {
    EXPECT_LT(glm::length(again.cam_from_world[c] - camera.cam_from_world[c]), 1e-9);
  }
}

TEST(PathViews, ShowBothEndsOfAnOpenPathAndTheStartOfALoopOnce) {
  KeyframePath path;
  for (int i = 0; i < 4; ++i) {
    path.keyframes.push_back({0.5 * i, {1.0 * i, 0, 1.0 * (i % 2)}, {1, 0, 0, 0}, 0.8});
  }
  const auto open = path_views(path, {.frames_per_second = 20});
  ASSERT_EQ(open.size(), 31u);
  EXPECT_LT(glm::length(open.back().camera.position_world() - glm::dvec3(3, 0, 1)), 1e-9);
  path.loop = true;
  const auto loop = path_views(path, {.frames_per_second = 20});
  ASSERT_EQ(loop.size(), 40u);
  EXPECT_GT(glm::length(loop.back().camera.position_world() - loop.front().camera.position_world()),
            0.01);
  EXPECT_EQ(loop[7].name, "frame_00007");
  const auto slower = path_views(path, {.frames_per_second = 20, .duration_s = 8});
  ASSERT_EQ(slower.size(), 160u);
  EXPECT_LT(glm::length(slower[4].camera.position_world() - loop[1].camera.position_world()), 1e-9);
}

TEST(PathViews, TakeTheirTimesFromTheKeyframesForAnyDuration) {
  KeyframePath path;
  path.keyframes = {{2, {0, 0, 0}, {1, 0, 0, 0}, 1}, {4, {1, 0, 0}, {1, 0, 0, 0}, 1}};
  const auto views = path_views(path, {.frames_per_second = 10});
  ASSERT_EQ(views.size(), 21u);
  for (std::size_t i = 0; i < views.size(); ++i) {
    EXPECT_NEAR(views[i].time_s, 2 + 0.1 * static_cast<double>(i), 1e-12);
  }
  const auto slower = path_views(path, {.frames_per_second = 10, .duration_s = 8});
  ASSERT_EQ(slower.size(), 81u);
  EXPECT_NEAR(slower[1].time_s, 2.025, 1e-12);
  EXPECT_NEAR(slower.back().time_s, 4, 1e-12);
  path.loop = true;
  path.closing_s = 1;
  EXPECT_NEAR(path_views(path, {.frames_per_second = 10}).back().time_s, 4.9, 1e-12);
}

/// Four keyframes 2 s apart on a line with uneven distances, from 1 s on.
KeyframePath straight_path() {
  KeyframePath path;
  for (const double x : {0.0, 1.0, 5.0, 6.0}) {
    path.keyframes.push_back({.time_s = 1 + 2 * static_cast<double>(path.keyframes.size()),
                              .position_world = {x, 0, 0}});
  }
  return path;
}

TEST(SceneTime, IsThatOfThePathWithoutOwnTimes) {
  const CameraSpline spline(straight_path());
  for (const double seconds : {0.0, 0.3, 5.9}) {
    EXPECT_DOUBLE_EQ(spline.scene_time_at(seconds), 1 + seconds);
    EXPECT_DOUBLE_EQ(*spline.at(seconds).scene_time_s, 1 + seconds);
  }
}

TEST(SceneTime, RunsAtAConstantRateBetweenKeyframesThatHaveOne) {
  KeyframePath path = straight_path();
  path.keyframes[1].scene_time_s = 3;
  path.keyframes[2].scene_time_s = 3;
  path.keyframes[3].scene_time_s = 1;
  const CameraSpline spline(path);
  EXPECT_DOUBLE_EQ(spline.scene_time_at(0.5), 3) << "before the first";
  EXPECT_DOUBLE_EQ(spline.scene_time_at(3), 3) << "frozen";
  EXPECT_DOUBLE_EQ(spline.scene_time_at(4.5), 2.5) << "backwards";
  EXPECT_DOUBLE_EQ(spline.scene_time_at(9), 1) << "after the end";
  // The keyframe between has none: the rate is that of its neighbours.
  path.keyframes[2].scene_time_s.reset();
  EXPECT_DOUBLE_EQ(CameraSpline(path).scene_time_at(4), 2);
}

TEST(SceneTime, StandsOnTheWayBackOfALoop) {
  KeyframePath path = straight_path();
  path.loop = true;
  path.keyframes[0].scene_time_s = 0;
  path.keyframes[3].scene_time_s = 6;
  const CameraSpline spline(path);
  EXPECT_DOUBLE_EQ(spline.scene_time_at(3), 3);
  EXPECT_DOUBLE_EQ(spline.scene_time_at(7), 6);
  EXPECT_DOUBLE_EQ(spline.scene_time_at(spline.duration_s() + 3), 3);
}

TEST(SceneTime, BelongsToThePlaceOfTheKeyframeAtConstantSpeed) {
  KeyframePath path = straight_path();
  path.constant_speed = true;
  path.keyframes[0].scene_time_s = 0;
  path.keyframes[2].scene_time_s = 2;
  const CameraSpline spline(path);
  // The keyframe at x = 5 of 6 is passed after 5 of 6 s.
  EXPECT_NEAR(spline.at(5).position_world.x, 5, 1e-3);
  EXPECT_NEAR(spline.scene_time_at(5), 2, 1e-3);
  EXPECT_NEAR(spline.scene_time_at(2.5), 1, 1e-3);
}

TEST(SceneTime, IsTheTimeOfTheViews) {
  KeyframePath path = straight_path();
  for (CameraKeyframe& key : path.keyframes) key.scene_time_s = 0.25;
  for (const View& view : path_views(path, {})) EXPECT_DOUBLE_EQ(view.time_s, 0.25);
}

TEST(PathViews, ASingleKeyframeIsOneView) {
  KeyframePath path{.loop = true};
  path.keyframes = {{2, {1, 2, 3}, {1, 0, 0, 0}, 0.8}};
  const auto views = path_views(path, {.duration_s = 5});
  ASSERT_EQ(views.size(), 1u);
  EXPECT_LT(glm::length(views[0].camera.position_world() - glm::dvec3(1, 2, 3)), 1e-12);
}

TEST(PathViews, TheSquareOfThePictureIsAsTallAsTheFieldOfView) {
  KeyframePath path;
  path.keyframes = {{0, {0, 0, 0}, {1, 0, 0, 0}, 2 * std::atan(0.5)}};
  const Camera camera = path_views(path, {.width = 300, .height = 200})[0].camera;
  EXPECT_NEAR(camera.focal_px.x, 200, 1e-9);
  EXPECT_NEAR(camera.focal_px.y, 200, 1e-9);
}

TEST(PathViews, TooManyFramesAreRefused) {
  KeyframePath path;
  path.keyframes = {{0, {0, 0, 0}, {1, 0, 0, 0}, 1}, {1e9, {1, 0, 0}, {1, 0, 0, 0}, 1}};
  EXPECT_THROW(path_views(path, {}), Error);
}

TEST(CheckPath, ImpossiblePathsAreRefusedWithTheNumberOfTheKeyframe) {
  const auto problem_of = [](const auto& spoil) {
    KeyframePath path = wild_path();
    spoil(path);
    try {
      check_path(path, "a.json");
    } catch (const Error& error) {
      return error.where() + ": " + error.problem();
    }
    return std::string("nothing");
  };
  using Path = KeyframePath&;
  EXPECT_EQ(problem_of([](Path) {}), "nothing");
  EXPECT_NE(problem_of([](Path p) { p.keyframes.clear(); }).find("no keyframes"),
            std::string::npos);
  EXPECT_NE(problem_of([](Path p) {
              p.keyframes[2].time_s = p.keyframes[1].time_s;
            }).find("a.json, keyframe 2: the time"),
            std::string::npos);
  EXPECT_NE(problem_of([](Path p) {
              p.keyframes[1].position_world.y = std::nan("");
            }).find("keyframe 1: contains a value that is not finite"),
            std::string::npos);
  EXPECT_NE(problem_of([](Path p) {
              p.keyframes[3].world_from_cam = {0, 0, 0, 0};
            }).find("keyframe 3: the rotation"),
            std::string::npos);
  for (const double time : {-0.1, std::nan("")}) {
    EXPECT_NE(problem_of([&](Path p) {
                p.keyframes[4].scene_time_s = time;
              }).find("keyframe 4: the time of the scene"),
              std::string::npos);
  }
  for (const double angle : {0.0, -1.0, kPi, 4.0}) {
    EXPECT_NE(problem_of([&](Path p) {
                p.keyframes[0].field_of_view = angle;
              }).find("keyframe 0: the field of view"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace mote
