// Times, physical cameras, and the split of moving scenes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/options.h"
#include "io/datasets/camera_source.h"
#include "io/datasets/dataset_source.h"
#include "io/datasets/point_ply.h"
#include "io/images/image_files.h"
#include "support/dataset_fixture.h"
#include "support/files/file_bytes.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Names = std::vector<std::string>;

bool has_phrase(const std::vector<std::string>& phrases, const std::string& part) {
  return std::ranges::any_of(
      phrases, [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

class DatasetTimes : public ::testing::Test {
 protected:
  DatasetTimes()
      : folder_(fs::path(::testing::TempDir()) / ("times_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~DatasetTimes() override { fs::remove_all(folder_); }

  /// A frame at x, with a picture of its own.
  json frame(const std::string& name, double x, const json& extra) const {
    const fs::path picture = folder_ / (name + ".png");
    fs::create_directories(picture.parent_path());
    write_png(pattern_image(20, 16, 3, 1), picture);
    json matrix = json::parse("[[1,0,0,0],[0,1,0,0],[0,0,1,4],[0,0,0,1]]");
    matrix[0][3] = x;
    json result{{"file_path", name + ".png"}, {"transform_matrix", matrix}};
    result.update(extra);
    return result;
  }
  void write(const json& frames, const json& extra = json::object()) const {
    json whole{{"fl_x", 20}, {"frames", frames}};
    whole.update(extra);
    write_bytes(folder_ / "transforms.json", whole.dump());
  }
  /// Cameras a to d with five frames each, 0.1 s apart.
  void write_rig() const {
    json frames = json::array();
    for (char camera = 'a'; camera <= 'd'; ++camera) {
      for (int i = 0; i < 5; ++i) {
        const double offset = camera == 'b' ? 0.02 : 0.0;
        frames.push_back(frame(fmt::format("{}/{}", camera, i), camera - 'a',
                               {{"time", 0.1 * i + offset},
                                {"camera_name", std::string(1, camera)},
                                {"clock_offset_s", offset},
                                {"frames_per_second", 10}}));
      }
    }
    write(frames, {{"time_unit", "s"}});
  }
  static std::vector<double> times(const Dataset& dataset) {
    std::vector<double> result;
    for (const Photograph& one : dataset.photographs) result.push_back(one.time_s);
    return result;
  }
  static Names names(const Dataset& dataset, const std::vector<std::uint32_t>& indices) {
    Names result;
    for (const std::uint32_t index : indices) result.push_back(dataset.photographs[index].name);
    return result;
  }

  /// A COLMAP model of pictures with these names, side by side.
  void write_model(const Names& files) const {
    std::vector<View> views = tiny_views({.views = static_cast<int>(files.size())});
    for (std::size_t i = 0; i < files.size(); ++i) {
      views[i].name = files[i];
      fs::create_directories((folder_ / "images" / files[i]).parent_path());
      write_png(pattern_image(views[i].camera.width, views[i].camera.height, 3, 1),
                folder_ / "images" / files[i]);
    }
    write_colmap_text(folder_ / "sparse/0", views, "");
  }

  fs::path folder_;
};

TEST_F(DatasetTimes, TimesFromZeroToOneTakeTheRateThatTheUserGives) {
  write(
      {frame("a", 0, {{"time", 0}}), frame("b", 1, {{"time", 0.5}}), frame("c", 2, {{"time", 1}})});
  EXPECT_EQ(times(load_dataset(folder_, {}).dataset), (std::vector<double>{0, 0.5, 1}));
  const Dataset dataset = load_dataset(folder_, {.frame_rate = 10}).dataset;
  EXPECT_EQ(times(dataset), (std::vector<double>{0, 0.1, 0.2}));
  EXPECT_EQ(dataset.time.frames_per_second, 10);
  EXPECT_EQ(dataset.time.duration_s(), 0.2);
  EXPECT_TRUE(dataset.camera_groups.empty());
}

TEST_F(DatasetTimes, LargerTimesAndThoseWithAUnitAreSeconds) {
  write({frame("a", 0, {{"time", 0}}), frame("b", 1, {{"time", 3}})});
  const Dataset dataset = load_dataset(folder_, {.frame_rate = 10}).dataset;
  EXPECT_EQ(times(dataset), (std::vector<double>{0, 3}));
  EXPECT_TRUE(has_phrase(dataset.notes, "read as seconds"));
  write({frame("a", 0, {{"time", 0}}), frame("b", 1, {{"time", 0.5}})}, {{"time_unit", "s"}});
  EXPECT_EQ(times(load_dataset(folder_, {.frame_rate = 10}).dataset),
            (std::vector<double>{0, 0.5}));
  write(json::array({frame("a", 0, {{"time", 0}})}), {{"time_unit", "ms"}});
  EXPECT_NE(thrown_by([&] { load_dataset(folder_, {}); }).where().find("time_unit"),
            std::string::npos);
}

TEST_F(DatasetTimes, AMissingTimeIsThePlaceInTheFile) {
  write(
      {frame("a", 0, {{"time", 0}}), frame("b", 1, json::object()), frame("c", 2, {{"time", 1}})});
  const Dataset dataset = load_dataset(folder_, {}).dataset;
  EXPECT_EQ(times(dataset), (std::vector<double>{0, 0.5, 1}));
  EXPECT_TRUE(has_phrase(dataset.warnings, "1 of 3 frames have no time"));
  EXPECT_TRUE(has_phrase(dataset.warnings, "b.png"));
}

TEST_F(DatasetTimes, WithoutAnyTimeARateMakesFramesFollowEachOther) {
  write({frame("a", 0, json::object()), frame("b", 1, json::object())});
  EXPECT_FALSE(load_dataset(folder_, {}).dataset.time.moves());
  const Dataset dataset = load_dataset(folder_, {.frame_rate = 4}).dataset;
  EXPECT_EQ(times(dataset), (std::vector<double>{0, 0.25}));
  EXPECT_TRUE(dataset.time.moves());
}

TEST_F(DatasetTimes, NumberedPicturesOfAColmapModelTakeTheRateThatTheUserGives) {
  write_model({"frame_00008.png", "frame_00009.png", "frame_00012.png"});
  EXPECT_FALSE(load_dataset(folder_, {}).dataset.time.moves());
  const Dataset dataset = load_dataset(folder_, {.frame_rate = 4}).dataset;
  EXPECT_EQ(times(dataset), (std::vector<double>{0, 0.25, 1}));
  EXPECT_EQ(dataset.time.frames_per_second, 4);
  EXPECT_TRUE(dataset.camera_groups.empty());
  EXPECT_TRUE(has_phrase(dataset.notes, "from 8 to 12, are frames at 4 per second"));
  EXPECT_FALSE(has_phrase(dataset.warnings, "--frame-rate"));
  const ViewSet views = load_views(folder_, {}, 4);
  EXPECT_EQ(views.views.back().time_s, 1);
}

TEST_F(DatasetTimes, NamesWithoutNumbersOfFramesGiveAWarning) {
  write_model({"1.png", "first.png", "photo 2b.png"});
  const Dataset dataset = load_dataset(folder_, {.frame_rate = 4}).dataset;
  EXPECT_FALSE(dataset.time.moves());
  EXPECT_TRUE(has_phrase(dataset.warnings, "--frame-rate has no effect: 2 of 3 images"));
  EXPECT_TRUE(has_phrase(dataset.warnings, "first.png, photo 2b.png; rename them"));
  fs::remove_all(folder_);
  write_model({"a 007.png", "b/7.png"});
  const Dataset same = load_dataset(folder_, {.frame_rate = 4}).dataset;
  EXPECT_FALSE(same.time.moves());
  EXPECT_TRUE(has_phrase(same.warnings, "all images end with the number 7"));
  fs::remove_all(folder_);
  write_model({"1.png", "12345678901234567890.png"});
  EXPECT_TRUE(has_phrase(load_dataset(folder_, {.frame_rate = 4}).dataset.warnings,
                         "1 of 2 images have a name"));
}

TEST_F(DatasetTimes, PhysicalCamerasKeepTheirClocksAndPhotographs) {
  write_rig();
  const Dataset dataset = load_dataset(folder_, {}).dataset;
  ASSERT_EQ(dataset.camera_groups.size(), 4u);
  EXPECT_EQ(dataset.camera_groups[1].name, "b");
  EXPECT_EQ(dataset.camera_groups[1].clock_offset_s, 0.02);
  EXPECT_EQ(dataset.time.frames_per_second, 10);
  EXPECT_NEAR(dataset.time.last_s, 0.42, 1e-12);
  for (const Photograph& one : dataset.photographs) {
    EXPECT_EQ(dataset.camera_groups[one.camera_group].name, one.name.substr(0, 1));
  }
}

TEST_F(DatasetTimes, MovingRigsAreSplitByCamera) {
  write_rig();
  const LoadedDataset loaded = load_dataset(folder_, {});
  EXPECT_TRUE(loaded.facts.camera_split);
  EXPECT_EQ(names(loaded.dataset, loaded.dataset.test), (Names{"a/0", "a/1", "a/2", "a/3", "a/4"}));
  EXPECT_EQ(loaded.dataset.train.size(), 15u);
  const Dataset named = load_dataset(folder_, {.test_cameras = {"c"}}).dataset;
  EXPECT_EQ(names(named, named.test), (Names{"c/0", "c/1", "c/2", "c/3", "c/4"}));
  EXPECT_TRUE(load_dataset(folder_, {.test_every = 0}).dataset.test.empty());
  const Error error = thrown_by([&] { load_dataset(folder_, {.test_cameras = {"z"}}); });
  EXPECT_NE(error.where().find("z"), std::string::npos);
  EXPECT_NE(error.remedy().find("a, b, c"), std::string::npos);
}

TEST_F(DatasetTimes, MomentsForTestingAreThoseOfAllCameras) {
  write_rig();
  const Dataset dataset = load_dataset(folder_, {.test_moments = 3}).dataset;
  EXPECT_EQ(names(dataset, dataset.test),
            (Names{"a/0", "a/1", "a/2", "a/3", "a/4", "b/1", "b/4", "c/1", "c/4", "d/1", "d/4"}));
}

TEST_F(DatasetTimes, StillScenesHaveNoCamerasForTesting) {
  write({frame("a", 0, {{"camera_name", "one"}}), frame("b", 1, {{"camera_name", "two"}})});
  EXPECT_THROW(load_dataset(folder_, {.test_cameras = {"one"}}), UsageError);
}

TEST_F(DatasetTimes, CamerasThatDisagreeGiveWarnings) {
  json frames = json::array();
  for (int i = 0; i < 4; ++i) {
    frames.push_back(frame(fmt::format("a/{}", i), 0, {{"time", i}, {"camera_name", "a"}}));
  }
  for (int i = 0; i < 3; ++i) {
    frames.push_back(
        frame(fmt::format("b/{}", i), 1, {{"time", i == 2 ? 1 : i}, {"camera_name", "b"}}));
  }
  write(frames, {{"time_unit", "s"}});
  const Dataset dataset = load_dataset(folder_, {}).dataset;
  EXPECT_TRUE(has_phrase(dataset.warnings, "from 3 of camera b to 4 of camera a"));
  EXPECT_TRUE(
      has_phrase(dataset.warnings, "photographs b/1 and b/2 of camera b have the same time"));
}

TEST_F(DatasetTimes, CamerasOfTwoRatesThatFilmForDifferentTimesGiveAWarning) {
  const auto warns = [&](int slow_frames) {
    json frames = json::array();
    const auto add = [&](const char* camera, int count, double rate) {
      for (int i = 0; i < count; ++i) {
        frames.push_back(
            frame(fmt::format("{}/{}", camera, i), 0,
                  {{"time", i / rate}, {"camera_name", camera}, {"frames_per_second", rate}}));
      }
    };
    add("fast", 12, 20);
    add("slow", slow_frames, 10);
    write(frames, {{"time_unit", "s"}});
    return has_phrase(
        load_dataset(folder_, {}).dataset.warnings,
        fmt::format("from {:.6g} s of camera slow to 0.6 s of camera fast", slow_frames / 10.0));
  };
  EXPECT_FALSE(warns(6));
  EXPECT_FALSE(warns(5)) << "a frame";
  EXPECT_TRUE(warns(3));
}

TEST_F(DatasetTimes, ClocksThatRunBackwardsGiveAWarning) {
  json frames = json::array();
  for (const char* camera : {"a", "b"}) {
    for (int i = 0; i < 3; ++i) {
      const double time = camera[0] == 'b' && i == 2 ? 0.5 : i;
      frames.push_back(
          frame(fmt::format("{}/{}", camera, i), 0, {{"time", time}, {"camera_name", camera}}));
    }
  }
  write(frames, {{"time_unit", "s"}});
  const Dataset dataset = load_dataset(folder_, {}).dataset;
  EXPECT_TRUE(
      has_phrase(dataset.warnings, "camera b runs backwards: b/2.png has 0.5 s, but b/1.png"));
  EXPECT_FALSE(has_phrase(dataset.warnings, "camera a runs"));
}

TEST_F(DatasetTimes, PointsKeepTheTimesOfTheirFile) {
  const fs::path path = folder_ / "points.ply";
  write_bytes(path,
              "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
              "property float z\nproperty float time_s\nend_header\n1 2 3 0.5\n4 5 6 1.5\n");
  std::vector<std::string> warnings;
  const PointCloud points = read_point_ply(path, warnings);
  EXPECT_EQ(points.times_s, (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(points.positions[1], glm::dvec3(4, 5, 6));
}

TEST_F(DatasetTimes, APartOfTheTimesIsASceneOfItsOwn) {
  write_rig();
  const Dataset part = load_dataset(folder_, {.time_range = {0.1, 0.32}}).dataset;
  ASSERT_EQ(part.photographs.size(), 12u) << "three of each camera";
  EXPECT_NEAR(part.time.first_s, 0, 1e-9);
  EXPECT_NEAR(part.time.last_s, 0.22, 1e-9);
  EXPECT_EQ(part.camera_groups[1].clock_offset_s, 0.02);
  const ViewSet views = load_views(folder_, {}, 0, TimeClip{.from_s = 0.1, .to_s = 0.32});
  EXPECT_EQ(views.views.size(), 12u);
  const json no_time = json::object();
  write({frame("a", 0, no_time), frame("b", 1, no_time), frame("c", 2, no_time)});
  const Error still = thrown_by([&] { load_dataset(folder_, {.time_range = {0, 1}}); });
  EXPECT_NE(still.problem().find("no times"), std::string::npos);
}

TEST(TimeClip, KeepsPointsOfItsTimesAndThoseWithoutATime) {
  PointCloud points{.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}},
                    .colors = {{0}, {1}, {2}, {3}},
                    .times_s = {0, 1, std::nan(""), 2}};
  clip_points(points, {.from_s = 1, .to_s = 1.5});
  ASSERT_EQ(points.positions.size(), 2u);
  EXPECT_EQ(points.positions[0].x, 1);
  EXPECT_EQ(points.times_s[0], 0);
  EXPECT_EQ(points.colors[1][0], 2);
  EXPECT_TRUE(std::isnan(points.times_s[1]));
}

}  // namespace
}  // namespace mote
