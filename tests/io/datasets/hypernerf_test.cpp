// Datasets of HyperNeRF and DyCheck.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/datasets/dataset_source.h"
#include "io/images/image_files.h"
#include "io/npy.h"
#include "support/dataset_fixture.h"
#include "support/files/file_bytes.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class HyperNerf : public ::testing::Test {
 protected:
  /// Four frames by two cameras at two moments. The last one is for testing.
  HyperNerf() : folder_(fs::path(::testing::TempDir()) / ("hyper_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    json ids = json::array(), metadata = json::object();
    for (int i = 0; i < 4; ++i) {
      ids.push_back(id(i));
      metadata[id(i)] = {{"warp_id", i / 2}, {"appearance_id", 0}, {"camera_id", i % 2}};
      fs::create_directories(picture(i).parent_path());
      write_png(pattern_image(20, 16, 3, 1), picture(i));
      camera(i);
    }
    write_bytes(
        folder_ / "dataset.json",
        json{{"ids", ids}, {"train_ids", {ids[0], ids[1], ids[2]}}, {"val_ids", {ids[3]}}}.dump());
    write_bytes(folder_ / "metadata.json", metadata.dump());
    write_bytes(folder_ / "scene.json",
                R"({"scale": 0.5, "center": [1, 2, 3], "near": 0.1, "far": 2})");
  }
  ~HyperNerf() override { fs::remove_all(folder_); }

  static std::string id(int i) { return fmt::format("{:06}", i); }
  fs::path picture(int i) const { return folder_ / "rgb" / "2x" / (id(i) + ".png"); }
  void camera(int i, const json& extra = json::object()) const {
    json values{{"orientation", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                {"position", {3 + i, 2, 1}},
                {"focal_length", 60},
                {"principal_point", {20, 16}},
                {"skew", 0},
                {"pixel_aspect_ratio", 1},
                {"radial_distortion", {0, 0, 0}},
                {"image_size", {40, 32}}};
    values.update(extra);
    write_bytes(folder_ / "camera" / (id(i) + ".json"), values.dump());
  }
  Dataset load(const DatasetOptions& options = {}) const {
    return load_dataset(folder_, options).dataset;
  }
  static bool tells(const std::vector<std::string>& phrases, const std::string& part) {
    return std::ranges::any_of(
        phrases, [&](const std::string& one) { return one.find(part) != std::string::npos; });
  }

  fs::path folder_;
};

TEST_F(HyperNerf, ReadsSceneSpaceSplitsAndWarps) {
  write_npy({{1, 3}, {3, 4, 5}}, folder_ / "points.npy");
  const Dataset dataset = load({.frame_rate = 5});
  ASSERT_EQ(dataset.photographs.size(), 4u);
  EXPECT_EQ(dataset.test, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(dataset.photographs[3].time_s, 0.2);
  EXPECT_EQ(dataset.photographs[3].camera.position_world(), glm::dvec3(2.5, 0, -1));
  EXPECT_EQ(dataset.photographs[3].camera.focal_px, glm::dvec2(30));  // at half the size
  EXPECT_EQ(dataset.points.positions, (std::vector<glm::dvec3>{{1, 1, 1}}));
  EXPECT_EQ(dataset.camera_groups.size(), 2u);
  fs::remove(picture(1));
  EXPECT_TRUE(tells(load().warnings, "1 of 4 pictures are missing"));
  write_bytes(folder_ / "metadata.json", "{}");
  EXPECT_NE(thrown_by([&] { load(); }).where().find("metadata.json, 000000"), std::string::npos);
}

TEST_F(HyperNerf, TangentialDistortionHasTwoNames) {
  EXPECT_EQ(load_dataset(folder_, {}).facts.through_lens, 0u);
  camera(0, {{"tangential", {0.01, -0.02}}});
  camera(1, {{"tangential_distortion", {0.01, -0.02}}});
  EXPECT_EQ(load_dataset(folder_, {}).facts.through_lens, 2u);
}

TEST_F(HyperNerf, ASkewThatIsSeenGivesAWarning) {
  camera(0, {{"skew", 0.01}});
  EXPECT_FALSE(tells(load().warnings, "skew"));
  camera(2, {{"skew", -2}});
  EXPECT_TRUE(tells(load().warnings, "1 of 4 cameras have a skew"));
  EXPECT_TRUE(tells(load().warnings, "000002.json"));
}

TEST_F(HyperNerf, TheRateIsThatOfDyCheckUnlessAnotherIsGiven) {
  EXPECT_EQ(load().time.last_s, 1);
  write_bytes(folder_ / "extra.json", R"({"factor": 4, "fps": 10})");
  const Dataset dataset = load();
  EXPECT_EQ(dataset.time.last_s, 0.1);
  EXPECT_EQ(dataset.time.frames_per_second, 10);
  EXPECT_TRUE(tells(dataset.notes, "10 moments per second, as extra.json says"));
  EXPECT_EQ(load({.frame_rate = 5}).time.last_s, 0.2);
  write_bytes(folder_ / "extra.json", R"({"fps": 0})");
  EXPECT_NE(thrown_by([&] { load(); }).where().find("extra.json"), std::string::npos);
}

TEST_F(HyperNerf, SplitsWithoutFramesAreNamed) {
  write_bytes(folder_ / "splits" / "train.json", R"({"frame_names": ["000000", "000002"]})");
  write_bytes(folder_ / "splits" / "val.json", R"({"frame_names": ["000001"]})");
  const Dataset dataset = load();
  EXPECT_EQ(dataset.photographs.size(), 3u);
  EXPECT_EQ(dataset.test.size(), 1u);
  write_bytes(folder_ / "splits" / "train.json", "{}");
  const Error error = thrown_by([&] { load(); });
  EXPECT_NE(error.problem().find("frame_names"), std::string::npos);
  EXPECT_NE(error.where().find("train.json"), std::string::npos);
}

}  // namespace
}  // namespace mote
