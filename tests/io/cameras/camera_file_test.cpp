// Camera files written by Mote are read back unchanged.
#include "io/cameras/camera_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "core/error.h"
#include "io/datasets/camera_source.h"

namespace mote {
namespace {

TEST(CameraFile, PreservesSizesIntrinsicsPosesAndNames) {
  std::vector<SplitView> views;
  for (int i = 0; i < 5; ++i) {
    Camera camera;
    camera.width = 100 + i;
    camera.height = 80;
    camera.focal_px = {120.25 + i, 119.5};
    camera.center_px = {50.125, 39.75 - i};
    look_at(camera, {1.5 * i - 3, -2, 4.0 + i}, {0.1, 0.2, 0.3}, {0, -1, 0});
    views.push_back({{"left/b.c_" + std::to_string(i), camera}, i % 2 == 0 ? "test" : "train"});
  }
  const auto path = std::filesystem::path(::testing::TempDir()) /
                    ("cameras_" + std::to_string(::getpid()) + ".json");
  write_camera_file(views, path);
  const ViewSet read = load_views(path);
  std::filesystem::remove(path);
  ASSERT_EQ(read.views.size(), views.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    const Camera &a = views[i].view.camera, &b = read.views[i].camera;
    EXPECT_EQ(read.views[i].name, "b.c_" + std::to_string(i));
    EXPECT_EQ(a.width, b.width);
    EXPECT_EQ(a.height, b.height);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(a.translation[k], b.translation[k], 1e-12);
      for (int l = 0; l < 3; ++l) {
        EXPECT_NEAR(a.cam_from_world[k][l], b.cam_from_world[k][l], 1e-14);
      }
    }
    EXPECT_EQ(a.focal_px, b.focal_px);
    EXPECT_EQ(a.center_px, b.center_px);
  }
  EXPECT_THROW(write_camera_file(views, "/no/such/folder/cameras.json"), Error);
}

TEST(CameraFile, PreservesTimesInSecondsWhateverTheRateOfFrames) {
  std::vector<SplitView> views(3);
  const double times_s[] = {0, 2.5, 0.125};
  for (std::size_t i = 0; i < views.size(); ++i) {
    Camera camera;
    camera.width = camera.height = 20;
    camera.focal_px = {20, 20};
    camera.center_px = {10, 10};
    views[i] = {{std::to_string(i), camera, times_s[i]}, "train"};
  }
  const auto path = std::filesystem::path(::testing::TempDir()) /
                    ("timed_cameras_" + std::to_string(::getpid()) + ".json");
  write_camera_file(views, path);
  for (const double rate : {0.0, 8.0}) {
    const ViewSet read = load_views(path, {}, rate);
    ASSERT_EQ(read.views.size(), views.size());
    for (std::size_t i = 0; i < views.size(); ++i) EXPECT_EQ(read.views[i].time_s, times_s[i]);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace mote
