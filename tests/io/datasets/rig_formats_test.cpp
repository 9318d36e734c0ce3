// Folders of several cameras that film a moving scene, in the forms of public datasets. Round trips
// of what `mote synth` writes are in tests/synth.
#include "io/datasets/rigs/rig_formats.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <vector>

#include "core/error.h"
#include "io/datasets/camera_source.h"
#include "io/datasets/dataset_source.h"
#include "io/datasets/video_cache.h"
#include "io/images/image_files.h"
#include "io/npy.h"
#include "io/video/video.h"
#include "io/video/video_reading.h"
#include "support/dataset_fixture.h"
#include "support/files/display_matrix.h"
#include "support/files/file_bytes.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool tells(const std::vector<std::string>& phrases, const std::string& part) {
  return std::ranges::any_of(
      phrases, [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

class RigFormats : public ::testing::Test {
 protected:
  RigFormats() : folder_(fs::path(::testing::TempDir()) / ("rigs_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~RigFormats() override { fs::remove_all(folder_); }

  void picture(const fs::path& name, int width = 40, int height = 32) const {
    fs::create_directories((folder_ / name).parent_path());
    write_png(pattern_image(width, height, 3, 1), folder_ / name);
  }
  void video(const fs::path& name, int frames, double rate, int width = 40, int height = 32) const {
    fs::create_directories((folder_ / name).parent_path());
    VideoWriter writer(folder_ / name,
                       {.width = width, .height = height, .frames_per_second = rate});
    for (int i = 0; i < frames; ++i) {
      writer.add(pattern_image(width, height, 3, static_cast<std::uint32_t>(i)));
    }
    writer.commit();
  }
  /// poses_bounds.npy with cameras at x = 0, 1, ..., that look along -z with y up.
  void poses(std::size_t rows, double height = 32, double width = 40) const {
    NpyArray table{{rows, 17}, {}};
    for (std::size_t i = 0; i < rows; ++i) {
      const std::vector<double> row{
          0, 1, 0, static_cast<double>(i), height, -1, 0, 0, 0.5, width, 0, 0, 1, 2, 50, 1, 9};
      table.values.insert(table.values.end(), row.begin(), row.end());
    }
    write_npy(table, folder_ / "poses_bounds.npy");
  }
  /// intri.yml and extri.yml of cameras 01 to 0N.
  void calibration(int cameras, const std::string& extra = "") const {
    std::string names = "%YAML:1.0\n---\nnames:\n", intrinsics, extrinsics;
    for (int i = 1; i <= cameras; ++i) {
      const std::string name = fmt::format("0{}", i);
      names += "  - \"" + name + "\"\n";
      intrinsics += "K_" + name +
                    ": !!opencv-matrix\n  rows: 3\n  cols: 3\n  dt: d\n"
                    "  data: [50., 0., 20., 0., 51., 16., 0., 0., 1.]\n";
      extrinsics += fmt::format(
          "R_{0}: !!opencv-matrix\n  rows: 3\n  cols: 1\n  dt: d\n"
          "  data: [0., {1}, 0.]\nT_{0}: !!opencv-matrix\n  rows: 3\n"
          "  cols: 1\n  dt: d\n  data: [0.5, 0., {2}.]\n",
          name, 0.5 * std::numbers::pi, i);
    }
    write_bytes(folder_ / "intri.yml", names + extra + intrinsics);
    write_bytes(folder_ / "extri.yml", names + extrinsics);
  }
  PosedImages read() const {
    return read_cameras(locate_cameras(folder_), {.images_needed = true}).posed;
  }

  fs::path folder_;
};

TEST_F(RigFormats, EachFormatHasAName) {
  for (const RigFormat* format : rig_formats()) {
    EXPECT_FALSE(format->name.empty());
    EXPECT_FALSE(format->holds(folder_)) << format->name;
  }
  EXPECT_EQ(rig_format_of(folder_), nullptr);
}

TEST_F(RigFormats, VideosBelongToTheRowsOfThePosesByName) {
  for (const char* name : {"cam02.mp4", "cam00.mp4", "cam07.mp4"}) video(name, 4, 20);
  poses(3);
  const LoadedDataset loaded = load_dataset(folder_, {});
  const Dataset& dataset = loaded.dataset;
  EXPECT_EQ(loaded.facts.format, "Neural 3D Video");
  ASSERT_EQ(dataset.photographs.size(), 12u);
  EXPECT_EQ(dataset.test.size(), 4u);
  EXPECT_EQ(dataset.camera_groups[dataset.photographs[dataset.test[0]].camera_group].name, "cam00");
  const Photograph& last = dataset.photographs.back();  // cam07, frame 3
  EXPECT_EQ(last.name, "cam07/00003");
  EXPECT_NEAR(last.time_s, 0.15, 1e-6);
  EXPECT_LT(glm::distance(last.camera.position_world(), glm::dvec3(2, 0.5, 2)), 1e-12);
  // Looks along -z, with y up in the picture.
  EXPECT_LT(glm::distance(glm::transpose(last.camera.cam_from_world)[2], glm::dvec3(0, 0, -1)),
            1e-12);
  EXPECT_LT(glm::distance(glm::transpose(last.camera.cam_from_world)[1], glm::dvec3(0, -1, 0)),
            1e-12);
  EXPECT_EQ(last.camera.focal_px, glm::dvec2(50));
  EXPECT_EQ(loaded.photos->get(11)->width(), 40);
}

TEST_F(RigFormats, ADifferentNumberOfVideosIsRefused) {
  video("cam00.mp4", 2, 20);
  poses(3);
  const Error error = thrown_by([&] { load_dataset(folder_, {}); });
  EXPECT_NE(error.problem().find("has 3 rows, but there are 1 videos"), std::string::npos);
  EXPECT_NE(error.where().find("poses_bounds.npy"), std::string::npos);
}

TEST_F(RigFormats, VideosOfOtherLengthsAndRatesGiveAWarningOrKeepTheirTimes) {
  video("cam00.mp4", 4, 20);
  video("cam01.mp4", 3, 20);
  video("cam02.mp4", 6, 30);
  poses(3);
  const Dataset dataset = load_dataset(folder_, {}).dataset;
  EXPECT_TRUE(tells(dataset.warnings, "different numbers of photographs"));
  ASSERT_EQ(dataset.photographs.size(), 13u);
  EXPECT_NEAR(dataset.photographs[12].time_s, 5 / 30.0, 1e-6);
  EXPECT_NEAR(dataset.camera_groups[2].frames_per_second, 30, 1e-6);
}

TEST_F(RigFormats, VideosAreDecodedWithinTheMemoryForPhotographs) {
  constexpr int kWidth = 2704, kHeight = 2028;
  constexpr std::uint64_t kMemory = 4'000'000'000;
  const DecodingPlan many = decoding_plan(20, kWidth, kHeight, kMemory, 64);
  EXPECT_GT(many.videos, 1);
  EXPECT_LE(static_cast<std::uint64_t>(many.videos) * decoder_bytes(kWidth, kHeight, many.threads),
            kMemory);
  EXPECT_GT(static_cast<std::uint64_t>(many.videos + 1) * decoder_bytes(kWidth, kHeight, 1),
            kMemory);
  const DecodingPlan none = decoding_plan(20, kWidth, kHeight, 1, 64);
  EXPECT_EQ(none.videos, 1) << "at least one, whatever it needs";
  EXPECT_EQ(none.threads, 1);
  const DecodingPlan few = decoding_plan(2, 640, 480, kMemory, 8);
  EXPECT_EQ(few.videos, 2);
  EXPECT_EQ(few.threads, 4);
  const DecodingPlan one_each = decoding_plan(20, 640, 480, kMemory, 8);
  EXPECT_EQ(one_each.videos, 8);
  EXPECT_EQ(one_each.threads, 1);
}

TEST_F(RigFormats, VideosAreUnpackedOnceAndAgainWhenTheyChange) {
  video("cam00.mp4", 3, 20);
  video("cam01.mp4", 3, 20);
  poses(2);
  load_dataset(folder_, {});
  const fs::path frame = folder_ / "mote_frames" / "cam01" / "00002.jpg";
  ASSERT_TRUE(fs::exists(frame));
  const auto before = fs::last_write_time(frame);
  load_dataset(folder_, {});
  EXPECT_EQ(fs::last_write_time(frame), before);
  fs::remove(folder_ / "mote_frames" / "cam01" / "00001.jpg");
  EXPECT_EQ(load_dataset(folder_, {}).dataset.photographs.size(), 6u);
  video("cam01.mp4", 5, 20);
  EXPECT_EQ(load_dataset(folder_, {}).dataset.photographs.size(), 8u);
  const fs::path cache = folder_ / "elsewhere";
  load_dataset(folder_, {.frame_cache = cache.string()});
  EXPECT_FALSE(fs::is_empty(cache));
}

TEST_F(RigFormats, FramesOfTurnedVideosAreUprightAndReplaceThoseOfEarlierVersions) {
  video("videos/01.mp4", 2, 20);
  video("videos/02.mp4", 2, 20);
  set_display_matrix(folder_ / "videos" / "02.mp4", kUprightPhone);
  calibration(2);
  const auto expect_upright = [&] {
    const LoadedDataset loaded = load_dataset(folder_, {});
    const std::vector<Photograph>& photographs = loaded.dataset.photographs;
    ASSERT_EQ(photographs.size(), 4u);
    for (std::uint32_t i = 0; i < 4; ++i) {
      SCOPED_TRACE(photographs[i].name);
      const bool is_turned = photographs[i].name.starts_with("02");
      EXPECT_EQ(photographs[i].camera.width, is_turned ? 32 : 40);
      EXPECT_EQ(photographs[i].camera.height, is_turned ? 40 : 32);
      EXPECT_EQ(loaded.photos->get(i)->width(), is_turned ? 32 : 40);
    }
  };
  expect_upright();
  const fs::path frames = folder_ / "mote_frames";
  const auto still = fs::last_write_time(frames / "01" / "00000.jpg");
  // As an earlier version has left them.
  json list = json::parse(text_of(frames / "02" / "frames.json"));
  ASSERT_EQ(list["video"].erase("turned"), 1u);
  write_bytes(frames / "02" / "frames.json", list.dump());
  for (const char* frame : {"00000.jpg", "00001.jpg"}) {
    write_bytes(frames / "02" / frame, jpeg_bytes(40, 32, 1));
  }
  expect_upright();
  EXPECT_EQ(fs::last_write_time(frames / "01" / "00000.jpg"), still) << "it is not turned";
}

TEST_F(RigFormats, OnlyFramesOfThePartOfTheTimesAreUnpacked) {
  for (const char* name : {"cam00.mp4", "cam01.mp4"}) video(name, 8, 20);
  poses(2);
  const fs::path cache = folder_ / "mote_frames" / "cam01";
  const auto unpacked = [&] {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(cache)) {
      names.insert(entry.path().stem().string());
    }
    return names;
  };
  const LoadedDataset part = load_dataset(folder_, {.time_range = {0.1, 0.2}});
  EXPECT_EQ(unpacked(), (std::set<std::string>{"00002", "00003", "00004", "frames"}));
  ASSERT_EQ(part.dataset.photographs.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(part.dataset.photographs[i].time_s, 0.05 * static_cast<double>(i % 3), 1e-6);
  }
  EXPECT_TRUE(tells(part.dataset.notes, "6 of 16 photographs are from 0.1 to 0.2 s"));
  const auto before = fs::last_write_time(cache / "00003.jpg");
  load_dataset(folder_, {.time_range = {0.15, 0.2}});
  EXPECT_EQ(fs::last_write_time(cache / "00003.jpg"), before) << "they are there";
  EXPECT_EQ(load_dataset(folder_, {}).dataset.photographs.size(), 16u);
  EXPECT_EQ(unpacked().size(), 9u);
  const Error none = thrown_by([&] { load_dataset(folder_, {.time_range = {2, 3}}); });
  EXPECT_NE(none.problem().find("no photograph is from 2 to 3 s"), std::string::npos);
  for (const std::vector<double>& wrong : {std::vector<double>{1}, {2, 1}, {0, 1, 2}}) {
    EXPECT_THROW(load_dataset(folder_, {.time_range = wrong}), UsageError);
  }
}

TEST_F(RigFormats, FramesThatCannotBeDecodedAreLeftOutWithAWarning) {
  for (const char* name : {"cam00.mp4", "cam01.mp4"}) video(name, 8, 20);
  poses(2);
  std::string bytes = text_of(folder_ / "cam01.mp4");
  const std::size_t begin = bytes.find("mdat"), after = bytes.find("moov", begin);
  const std::size_t end = after == std::string::npos ? bytes.size() : after - 4;
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(begin + (end - begin) / 2),
            bytes.begin() + static_cast<std::ptrdiff_t>(end), '\0');
  write_bytes(folder_ / "cam01.mp4", bytes);
  const Dataset dataset = load_dataset(folder_, {}).dataset;
  EXPECT_LT(dataset.photographs.size(), 16u);
  EXPECT_GT(dataset.photographs.size(), 8u);
  EXPECT_TRUE(tells(dataset.warnings, "of its 8 frames can be decoded"));
  EXPECT_TRUE(tells(dataset.warnings, "cam01.mp4"));
}

TEST_F(RigFormats, EasyVolcapReadsRodriguesAndTheClocks) {
  for (const char* camera : {"01", "02"}) {
    for (int i = 0; i < 3; ++i) picture(fmt::format("images/{}/{:06}.png", camera, 4120 + i));
  }
  calibration(2);
  write_bytes(folder_ / "sync.json", R"({"01": 0.0, "02": -0.01})");
  const PosedImages posed = read();
  EXPECT_TRUE(tells(posed.warnings, "30 frames per second are assumed"));
  const Dataset dataset = load_dataset(folder_, {.frame_rate = 10}).dataset;
  ASSERT_EQ(dataset.photographs.size(), 6u);
  EXPECT_EQ(dataset.photographs[0].time_s, 0);
  EXPECT_NEAR(dataset.photographs[5].time_s, 0.2 + 0.01, 1e-12);
  EXPECT_EQ(dataset.camera_groups[1].clock_offset_s, 0.01);
  const Camera& camera = dataset.photographs[0].camera;
  EXPECT_EQ(camera.focal_px, glm::dvec2(50, 51));
  // A quarter turn about y takes x to -z, and the centre is -R^T T.
  EXPECT_LT(glm::distance(camera.cam_from_world * glm::dvec3(1, 0, 0), glm::dvec3(0, 0, -1)), 1e-9);
  EXPECT_LT(glm::distance(camera.position_world(), glm::dvec3(1, 0, -0.5)), 1e-9);
}

TEST_F(RigFormats, EasyVolcapNamesMissingFramesCamerasAndClocks) {
  for (const int i : {0, 1, 2}) picture(fmt::format("images/01/{:06}.png", i));
  for (const int i : {0, 2}) picture(fmt::format("images/02/{:06}.png", i));
  calibration(3, "frames_per_second: 25\n");
  write_bytes(folder_ / "sync.json", R"({"01": 0, "09": 0.1})");
  const PosedImages posed = read();
  EXPECT_TRUE(tells(posed.warnings,
                    "1 of 6 frames are missing, which other cameras have: 1 of "
                    "camera 02"));
  EXPECT_TRUE(tells(posed.warnings, "1 of 3 cameras have neither pictures nor a video"));
  EXPECT_TRUE(tells(posed.warnings, "1 of 2 clocks of sync.json belong to no camera: 09"));
  EXPECT_EQ(posed.images.size(), 5u);
  EXPECT_NEAR(posed.images[2].time_s, 2 / 25.0, 1e-12);
}

TEST_F(RigFormats, EasyVolcapRefusesCamerasWithoutPoses) {
  picture("images/01/0.png");
  calibration(1);
  write_bytes(folder_ / "extri.yml", "%YAML:1.0\n---\nnames:\n  - \"01\"\n");
  EXPECT_NE(thrown_by([&] { read(); }).problem().find("camera 01 lacks T_01"), std::string::npos);
  write_bytes(folder_ / "sync.json", R"({"01": "late"})");
  EXPECT_NE(thrown_by([&] { read(); }).where().find("sync.json, 01"), std::string::npos);
}

TEST_F(RigFormats, TechnicolorReadsQuaternionsAndTheNumbersInNames) {
  std::string table = "# f cx cy ...\n";
  for (int camera = 0; camera < 12; ++camera) {
    table += fmt::format("60 21 15 0 0 {} 0 {} 0 {} 0 3\n", std::cos(0.2), std::sin(0.2), camera);
    for (const int frame : {151, 152}) {
      picture(fmt::format("Birthday_undist_{:05}_{:02}.png", frame, camera));
    }
  }
  write_bytes(folder_ / "cameras_parameters.txt", table);
  const Dataset dataset = load_dataset(folder_, {.frame_rate = 50}).dataset;
  ASSERT_EQ(dataset.photographs.size(), 24u);
  EXPECT_EQ(dataset.test.size(), 2u);
  EXPECT_EQ(dataset.camera_groups[dataset.photographs[dataset.test[0]].camera_group].name, "10");
  EXPECT_EQ(dataset.photographs[1].time_s, 0.02);
  const Camera& camera = dataset.photographs[0].camera;
  EXPECT_EQ(camera.center_px, glm::dvec2(21, 15));
  EXPECT_NEAR(camera.cam_from_world[0][0], std::cos(0.4), 1e-12);  // a turn of 0.4 about y
  EXPECT_NEAR(camera.cam_from_world[0][2], -std::sin(0.4), 1e-12);
  write_bytes(folder_ / "cameras_parameters.txt", "header\n1 2 3\n");
  EXPECT_NE(thrown_by([&] { load_dataset(folder_, {}); }).where().find("line 2"),
            std::string::npos);
}

}  // namespace
}  // namespace mote
