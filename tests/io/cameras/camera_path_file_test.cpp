// Camera paths as files: Mote's format, nerfstudio's, and cameras of a dataset.
#include "io/cameras/camera_path_file.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/trigonometric.hpp>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "io/cameras/camera_file.h"

namespace mote {
namespace {

using nlohmann::json;

class CameraPathFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  KeyframePath load(const json& value) { return load_text(value.dump()); }
  KeyframePath load_text(const std::string& text) {
    std::ofstream(file_) << text;
    return load_camera_path(file_, 640, 480);
  }
  void expect_refusal(const json& value, const std::string& place, const std::string& problem) {
    try {
      load(value);
      ADD_FAILURE() << "was read: " << value.dump();
    } catch (const Error& error) {
      EXPECT_NE(error.where().find(place), std::string::npos) << error.where();
      EXPECT_NE(error.problem().find(problem), std::string::npos) << error.problem();
      EXPECT_FALSE(error.remedy().empty());
    }
  }

  std::filesystem::path file_ = std::filesystem::path(::testing::TempDir()) /
                                ("mote_path_" + std::to_string(::getpid()) + ".json");
};

json own_file() {
  return {{"type", "mote camera path"},
          {"version", 1},
          {"width", 800},
          {"height", 600},
          {"fps", 25},
          {"loop", true},
          {"closing_s", 2.5},
          {"constant_speed", true},
          {"keyframes",
           {{{"time_s", 0},
             {"position", {1, 2, 3}},
             {"rotation", {0.5, 0.5, -0.5, 0.5}},
             {"vertical_fov_deg", 45}},
            {{"time_s", 1.5},
             {"position", {0, 0, -4}},
             {"look_at", {0, 0, 0}},
             {"scene_time_s", 0.75},
             {"vertical_fov_deg", 60}}}}};
}

TEST_F(CameraPathFile, MotesFormatIsReadInFull) {
  const KeyframePath path = load(own_file());
  EXPECT_EQ(path.width, 800);
  EXPECT_EQ(path.height, 600);
  EXPECT_EQ(path.frames_per_second, 25);
  EXPECT_TRUE(path.loop);
  EXPECT_TRUE(path.constant_speed);
  EXPECT_EQ(path.closing_s, 2.5);
  ASSERT_EQ(path.keyframes.size(), 2u);
  EXPECT_EQ(path.keyframes[0].position_world, glm::dvec3(1, 2, 3));
  EXPECT_EQ(path.keyframes[0].world_from_cam, glm::dquat(0.5, 0.5, -0.5, 0.5));
  EXPECT_NEAR(path.keyframes[0].field_of_view, glm::radians(45.0), 1e-12);
  EXPECT_FALSE(path.keyframes[0].scene_time_s);
  EXPECT_EQ(path.keyframes[1].scene_time_s, 0.75);
  // The identity looks along +z with y down.
  EXPECT_NEAR(std::abs(path.keyframes[1].world_from_cam.w), 1, 1e-9);
}

TEST_F(CameraPathFile, SurvivesTheRoundTrip) {
  const KeyframePath path = load(own_file());
  write_camera_path(path, file_);
  const KeyframePath again = load_camera_path(file_, 1, 1);
  EXPECT_EQ(again.width, path.width);
  EXPECT_EQ(again.frames_per_second, path.frames_per_second);
  EXPECT_EQ(again.loop, path.loop);
  EXPECT_EQ(again.closing_s, path.closing_s);
  EXPECT_EQ(again.constant_speed, path.constant_speed);
  ASSERT_EQ(again.keyframes.size(), path.keyframes.size());
  for (std::size_t i = 0; i < path.keyframes.size(); ++i) {
    const CameraKeyframe &a = path.keyframes[i], &b = again.keyframes[i];
    EXPECT_EQ(a.time_s, b.time_s);
    EXPECT_EQ(a.scene_time_s, b.scene_time_s);
    EXPECT_EQ(a.position_world, b.position_world);
    EXPECT_NEAR(a.field_of_view, b.field_of_view, 1e-12);
    EXPECT_NEAR(glm::dot(a.world_from_cam, b.world_from_cam), 1, 1e-12);
  }
}

TEST_F(CameraPathFile, AnUpDirectionTurnsTheCamera) {
  json file = own_file();
  file["up"] = {1, 0, 0};
  const Camera camera = camera_of(load(file).keyframes[1], 10, 10);
  EXPECT_LT((camera.cam_from_world * glm::dvec3(1, 0, 0)).y, -0.99);
}

/// nerfstudio's viewer writes camera-to-world matrices with OpenGL's axes, row by row.
json nerfstudio_file() {
  return {{"camera_type", "perspective"},
          {"render_width", 960},
          {"render_height", 540},
          {"fps", 24.0},
          {"seconds", 2.0 / 24},
          {"is_cycle", true},
          {"smoothness_value", 0.5},
          {"keyframes", json::array()},
          {"camera_path",
           {{{"camera_to_world", {1, 0, 0, 0.5, 0, 1, 0, -1, 0, 0, 1, 4, 0, 0, 0, 1}},
             {"fov", 75},
             {"aspect", 16.0 / 9}},
            {{"camera_to_world", {0, 0, 1, 4, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}},
             {"fov", 50},
             {"aspect", 16.0 / 9}}}}};
}

TEST_F(CameraPathFile, NerfstudiosFormatGivesTheFramesThatNerfstudioRenders) {
  const KeyframePath path = load(nerfstudio_file());
  EXPECT_EQ(path.width, 960);
  EXPECT_EQ(path.frames_per_second, 24);
  ASSERT_EQ(path.keyframes.size(), 2u);
  const auto views =
      path_views(path, {.width = path.width, .height = path.height, .frames_per_second = 24});
  ASSERT_EQ(views.size(), 2u);
  const Camera& first = views[0].camera;
  EXPECT_NEAR(first.focal_px.y, 270 / std::tan(glm::radians(37.5)), 1e-6);
  EXPECT_LT(glm::length(first.position_world() - glm::dvec3(0.5, -1, 4)), 1e-9);
  // It looks along -z of the world, with y up.
  EXPECT_GT((first.cam_from_world * glm::dvec3(0, 0, -1)).z, 0.999999);
  EXPECT_LT((first.cam_from_world * glm::dvec3(0, 1, 0)).y, -0.999999);
  const Camera& second = views[1].camera;
  EXPECT_GT((second.cam_from_world * glm::dvec3(-1, 0, 0)).z, 0.999999);
  EXPECT_LT((second.cam_from_world * glm::dvec3(0, 0, 1)).y, -0.999999);
}

TEST_F(CameraPathFile, CamerasOfADatasetBecomeKeyframesInTheOrderOfTheirNumbers) {
  std::vector<SplitView> views;
  for (int i = 0; i < 3; ++i) {
    SplitView one;
    one.view.name = "v" + std::to_string(8 + i);
    one.split = "train";
    Camera& camera = one.view.camera;
    camera.width = 320;
    camera.height = 200;
    camera.focal_px = {300, 300};
    camera.center_px = {160, 100};
    look_at(camera, {i, 0, -5}, {0, 0, 0}, {0, -1, 0});
    views.push_back(one);
  }
  // Older runs listed test views last.
  std::rotate(views.begin(), views.begin() + 1, views.end());
  write_camera_file(views, file_);
  const KeyframePath path = load_camera_path(file_, 640, 480);
  ASSERT_EQ(path.keyframes.size(), 3u);
  EXPECT_EQ(path.width, 320);
  EXPECT_TRUE(path.constant_speed);
  EXPECT_EQ(path.keyframes[2].time_s, 2);
  EXPECT_LT(glm::length(path.keyframes[2].position_world - glm::dvec3(2, 0, -5)), 1e-9);
}

TEST_F(CameraPathFile, ErrorsNameKeyframeAndKey) {
  const auto spoilt = [](json file, const auto& spoil) {
    spoil(file);
    return file;
  };
  const auto own = [&](const auto& spoil) { return spoilt(own_file(), spoil); };
  const auto theirs = [&](const auto& spoil) { return spoilt(nerfstudio_file(), spoil); };
  expect_refusal(own([](json& f) { f["keyframes"] = json::array(); }), "keyframes", "empty");
  expect_refusal(own([](json& f) { f["keyframes"] = 3; }), "keyframes", "list");
  expect_refusal(own([](json& f) { f["keyframes"][1] = "x"; }), "keyframe 1", "object");
  expect_refusal(own([](json& f) { f["keyframes"][1].erase("time_s"); }), "keyframe 1, time_s",
                 "missing");
  expect_refusal(own([](json& f) { f["keyframes"][1]["time_s"] = 0; }), "keyframe 1", "not after");
  expect_refusal(own([](json& f) {
                   f["keyframes"][0]["position"] = {1, 2};
                 }),
                 "keyframe 0, position", "3 numbers");
  expect_refusal(own([](json& f) {
                   f["keyframes"][0]["position"] = {1, 2, "x"};
                 }),
                 "keyframe 0, position", "numbers");
  expect_refusal(own([](json& f) {
                   f["keyframes"][0]["look_at"] = {1, 2, 3};
                 }),
                 "rotation", "either");
  expect_refusal(own([](json& f) { f["keyframes"][1].erase("look_at"); }), "rotation", "either");
  expect_refusal(own([](json& f) {
                   f["keyframes"][1]["look_at"] = {0, 0, -4};
                 }),
                 "look_at", "position");
  expect_refusal(own([](json& f) {
                   f["keyframes"][0]["rotation"] = {0, 0, 0, 0};
                 }),
                 "keyframe 0", "length 0");
  expect_refusal(own([](json& f) { f["keyframes"][0]["vertical_fov_deg"] = 180; }),
                 "vertical_fov_deg", "degrees");
  expect_refusal(own([](json& f) { f["version"] = 2; }), "version", "version 1");
  expect_refusal(own([](json& f) { f["fps"] = 0; }), "fps", "above 0");
  expect_refusal(own([](json& f) { f["loop"] = "yes"; }), "loop", "true or false");
  expect_refusal(own([](json& f) { f["width"] = 1e9; }), "width", "16384");
  expect_refusal(own([](json& f) { f.erase("height"); }), "height", "missing");
  expect_refusal(own([](json& f) { f["up"] = {0, 0, 0}; }), "up", "direction");
  expect_refusal(theirs([](json& f) { f["camera_path"] = json::array(); }), "camera_path", "empty");
  expect_refusal(theirs([](json& f) { f["camera_type"] = "fisheye"; }), "camera_type", "fisheye");
  expect_refusal(theirs([](json& f) { f["camera_path"][1]["camera_to_world"][0] = 5; }),
                 "frame 1, camera_to_world", "not a rotation");
  expect_refusal(theirs([](json& f) { f["camera_path"][1].erase("fov"); }), "frame 1, fov",
                 "missing");
  expect_refusal(theirs([](json& f) { f.erase("render_width"); }), "render_width", "missing");
}

TEST_F(CameraPathFile, AFileThatIsNotAPathIsRefusedByName) {
  EXPECT_THROW(load_text("hello"), Error);
  EXPECT_THROW(load_text("{\"keyframes\": ["), Error);
  EXPECT_THROW(load_text("[1, 2]"), Error);
  EXPECT_THROW(load_text(""), Error);
  EXPECT_THROW(load_camera_path(file_.string() + ".none", 1, 1), Error);
}

}  // namespace
}  // namespace mote
