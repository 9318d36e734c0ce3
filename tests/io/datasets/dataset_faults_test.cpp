// Common faults of datasets: each ends in a clear message, or loading continues with a warning.
// photograph_faults_test.cpp covers faults of single photographs.
#include "dataset_faults_fixture.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "io/datasets/colmap_points.h"
#include "support/files/file_bytes.h"

namespace mote {
namespace {

using nlohmann::json;

TEST_F(DatasetFaults, MissingPhotographsAreLeftOutAndTheFirstFewNamed) {
  write_dataset(12);
  for (int i = 2; i < 8; ++i) fs::remove(image("view_0" + std::to_string(i) + ".png"));
  expect_left(6, {"6 of 12", "missing", "view_02.png", "view_05.png and 2 more"});
}

TEST_F(DatasetFaults, WithoutAnyPhotographTheMessageSaysWhereToPutThem) {
  write_dataset(5);
  fs::remove_all(folder_ / "images");
  EXPECT_NE(message().find("--images"), std::string::npos);
}

TEST_F(DatasetFaults, DegeneratePosesAreLeftOut) {
  write_dataset(8);
  std::string text = read_text_file(folder_ / "sparse/0/images.txt");
  text += "20 0 0 0 0 1 2 3 1 zero.png\n\n21 nan 0 0 1 1 2 3 1 nan.png\n\n";
  text += "22 1 0 0 0 1 inf 3 1 far.png\n\n";
  write_bytes(folder_ / "sparse/0/images.txt", text);
  expect_left(8, {"3 of 11", "zero.png, nan.png, far.png"});

  fs::remove_all(folder_ / "sparse");
  json file{{"fl_x", 20}, {"frames", json::array()}};
  const json matrices[] = {json::parse("[[1,0,0,0],[0,1,0,0],[0,0,1,4],[0,0,0,1]]"),
                           json::parse("[[1,0,0,0],[0,1,0,0],[0,0,0,4],[0,0,0,1]]"),
                           json::parse("[[1,0,0,0],[0,1,0,0],[0,0,null,4],[0,0,0,1]]"),
                           json::parse("[[1,0,0,0],[0,1,0,0],[0,0,1,5],[0,0,0,1]]")};
  for (int i = 0; i < 4; ++i) {
    file["frames"].push_back(
        {{"file_path", "images/view_0" + std::to_string(i)}, {"transform_matrix", matrices[i]}});
  }
  write_bytes(folder_ / "transforms.json", file.dump());
  expect_left(2, {"2 of 4", "frame 1 (images/view_01)", "not a rotation"});
}

TEST_F(DatasetFaults, OneCameraTrainsOnItself) {
  write_dataset(1);
  const Dataset dataset = load();
  EXPECT_EQ(dataset.train.size(), 1u);
  EXPECT_TRUE(dataset.test.empty());
  EXPECT_EQ(dataset.warnings.size(), 1u);
  EXPECT_GT(cameras_extent(dataset), 0);
}

TEST_F(DatasetFaults, ASplitWithoutTestViewsIsAWarning) {
  write_dataset(9);
  EXPECT_EQ(load({.test_every = 0}).train.size(), 9u);
  EXPECT_TRUE(load({.test_every = 0}).warnings.empty());
  EXPECT_EQ(load({.test_every = 1}).train.size(), 9u);  // 1 would leave nothing to train on
  EXPECT_EQ(load({.test_every = 100}).test.size(), 1u);
}

TEST_F(DatasetFaults, PointsAtInfinityAreDroppedFarOnesToo) {
  write_dataset(8);
  const fs::path points = folder_ / "sparse/0/points3D.txt";
  write_bytes(points, "1 0 0 0 1 2 3 0.5\n2 nan 0 0 1 2 3 0.5\n3 1e300 0 0 1 2 3 0.5 1 2\n");
  EXPECT_EQ(load().points.positions.size(), 1u);
  EXPECT_EQ(load().warnings.size(), 1u);
  write_bytes(points, "1 0 0 0 1 2 3 0.5\n2 1e12 0 0 1 2 3 0.5\n");
  expect_left(8, {"extremely far"});
  EXPECT_EQ(load().points.colors[0], (std::array<std::uint8_t, 3>{1, 2, 3}));
  write_bytes(points, "");
  EXPECT_TRUE(load().points.positions.empty());
  EXPECT_TRUE(load().warnings.empty());
}

TEST_F(DatasetFaults, PointsInvisibleInTrainingAreAWarningIfTheyAreMost) {
  write_dataset(8);
  const std::string seen = "1 0 0 0 1 2 3 0.5\n2 0.1 0 0 1 2 3 0.5\n";
  const std::string behind = "3 40 0 0 1 2 3 0.5\n", beside = "4 0 9 0 1 2 3 0.5\n";
  const fs::path points = folder_ / "sparse/0/points3D.txt";
  write_bytes(points, seen + behind + beside);
  EXPECT_TRUE(load().warnings.empty());
  write_bytes(points, seen + beside + beside + beside);
  expect_left(8, {"of 5 points 3 are visible in no training photograph"});
  std::string many;
  for (int i = 0; i < 6000; ++i) many += beside;
  write_bytes(points, many);
  expect_left(8, {"of 1500 points sampled from 6000, 1500 are visible in no training photograph"});
  write_colmap_text(folder_ / "sparse/0", tiny_views({.views = 1, .width = 20, .height = 16}));
  write_bytes(points, behind);
  EXPECT_NE(load().warnings.back().find("of 1 points 1 are"), std::string::npos);
}

TEST_F(DatasetFaults, CamerasThatAllStandInOnePlaceAreAWarning) {
  std::vector<View> views = tiny_views({.views = 4, .width = 20, .height = 16});
  const auto write = [&](double apart) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      views[i].camera.cam_from_world = glm::dmat3(1);
      views[i].camera.translation = {apart * static_cast<double>(i), 0, 4};
    }
    write_colmap_text(folder_ / "sparse/0", views);
    write_bytes(folder_ / "sparse/0/points3D.txt", "1 0 0 0 1 2 3 0.5\n");
  };
  write_dataset(4);
  write(0);
  expect_left(4, {"all 3 training cameras", "the same position"});
  write(0.1);
  EXPECT_TRUE(load().warnings.empty());
}

TEST_F(DatasetFaults, DamagedPointsNameFileAndPlace) {
  write_dataset(3);
  const fs::path model = folder_ / "sparse/0";
  write_bytes(model / "points3D.txt", "1 0 0 0 1 2 3 0.5\n2 0 zero 0 1 2 3\n");
  EXPECT_NE(message().find("points3D.txt, line 2"), std::string::npos);
  write_bytes(model / "points3D.txt", "1 0 0 0 1 2 300 0.5\n");
  EXPECT_NE(message().find("0 to 255"), std::string::npos);

  const std::string point = packed(std::uint64_t{7}, 1.0, 2.0, 3.0) + "rgb" +
                            packed(0.5, std::uint64_t{1}, std::uint64_t{9});
  const std::string whole = packed(std::uint64_t{2}) + point + point;
  std::vector<std::string> warnings;
  write_bytes(model / "points3D.bin", whole);
  EXPECT_EQ(read_colmap_points(model, warnings).positions[1], glm::dvec3(1, 2, 3));
  EXPECT_TRUE(warnings.empty());
  write_bytes(model / "points3D.bin", packed(std::uint64_t{1}) + point + point);
  EXPECT_EQ(read_colmap_points(model, warnings).positions.size(), 1u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("points3D.bin: announces 1 points, but 59 more bytes"),
            std::string::npos)
      << warnings[0];
  for (std::size_t size = 0; size < whole.size(); size += 3) {
    write_bytes(model / "points3D.bin", whole.substr(0, size));
    EXPECT_THROW(read_colmap_points(model, warnings), Error) << size;
  }
  for (const std::uint64_t hostile : {std::uint64_t{3}, std::uint64_t{1} << 61}) {
    std::string bytes = whole;
    std::memcpy(bytes.data(), &hostile, 8);
    write_bytes(model / "points3D.bin", bytes);
    EXPECT_NE(message().find("points3D.bin, byte"), std::string::npos);
    bytes = whole;
    std::memcpy(bytes.data() + 8 + 43, &hostile, 8);
    write_bytes(model / "points3D.bin", bytes);
    EXPECT_NE(message().find("points3D.bin, byte"), std::string::npos) << hostile;
  }
}

TEST_F(DatasetFaults, AnUnknownCameraModelIsNamed) {
  write_dataset(1);
  write_bytes(folder_ / "sparse/0/cameras.txt", "1 EQUIRECTANGULAR 20 16 20 16\n");
  EXPECT_NE(message().find("EQUIRECTANGULAR"), std::string::npos);
  fs::remove_all(folder_ / "sparse");
  json file = json::parse(R"({"fl_x": 20, "camera_model": "VR180_L", "frames": [{"file_path":
      "images/view_00", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,4],[0,0,0,1]]}]})");
  write_bytes(folder_ / "transforms.json", file.dump());
  EXPECT_NE(message().find("VR180_L"), std::string::npos);
}

TEST_F(DatasetFaults, ACountBeyondTheEndOfTheFileIsTruncation) {
  write_dataset(3);
  const std::string image =
      packed(std::uint32_t{9}, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, std::uint32_t{3}) +
      std::string("view_00.png\0", 12) + packed(std::uint64_t{0});
  write_bytes(folder_ / "sparse/0/images.bin", packed(std::uint64_t{50}) + image + image + image);
  write_bytes(folder_ / "sparse/0/cameras.bin",
              packed(std::uint64_t{1}, std::uint32_t{3}, 1, std::uint64_t{20}, std::uint64_t{16},
                     20.0, 20.0, 10.0, 8.0));
  EXPECT_NE(message().find("truncated"), std::string::npos);
}

TEST_F(DatasetFaults, NamesBeyondAsciiWithBlanksAndInFoldersAreFound) {
  std::vector<View> views = tiny_views({.views = 3, .width = 20, .height = 16});
  views[0].name =
      "f\xc3\xbc"
      "chse/Bild \xe7\x8b\x90 1";
  views[1].name = "two  blanks";
  views[2].name = "\xf0\x9f\xa6\x8a";
  write_colmap_text(folder_ / "sparse/0", views);
  for (const View& view : views) {
    fs::create_directories(image(view.name).parent_path());
    write_png(pattern_image(20, 16, 3, 1), image(view.name + ".png"));
  }
  const Dataset dataset = load();
  EXPECT_EQ(dataset.photographs.size(), 3u);
  EXPECT_TRUE(warnings_of(dataset).empty());
}

TEST_F(DatasetFaults, FiveThousandFramesWithThreePhotographsGiveOneWarningAtOnce) {
  write_dataset(3);
  fs::remove_all(folder_ / "sparse");
  json file{{"camera_angle_x", 0.8}, {"frames", json::array()}};
  json matrix = json::parse("[[1,0,0,0],[0,1,0,0],[0,0,1,4],[0,0,0,1]]");
  for (int i = 0; i < 5000; ++i) {
    matrix[0][3] = i;
    file["frames"].push_back(
        {{"file_path", "images/view_0" + std::to_string(i)}, {"transform_matrix", matrix}});
  }
  write_bytes(folder_ / "transforms.json", file.dump());
  expect_left(3, {"4997 of 5000", "and 4993 more"});
}

TEST_F(DatasetFaults, APhotographListedTwiceIsLoadedOnce) {
  write_dataset(3);
  const std::string text = read_text_file(folder_ / "sparse/0/images.txt");
  write_bytes(folder_ / "sparse/0/images.txt", text + "9 1 0 0 0 1 2 3 1 view_01.png\n\n");
  expect_left(3, {"1 of 4", "an earlier photograph", "view_01.png"});
}

TEST_F(DatasetFaults, ALensThatKeepsLessThanHalfOfAPhotographIsAWarning) {
  write_dataset(4);
  const auto write_lens = [&](double k1) {
    std::string cameras;
    for (int id = 1; id <= 4; ++id) {
      cameras += fmt::format("{} SIMPLE_RADIAL 20 16 19 10 8 {}\n", id, k1);
    }
    write_bytes(folder_ / "sparse/0/cameras.txt", cameras);
  };
  write_lens(-0.1);
  EXPECT_TRUE(load().warnings.empty());
  write_lens(50);
  expect_left(4, {"less than half of 4 photographs", " of 20x16"});
}

TEST_F(DatasetFaults, AMissingFolderOfImagesOrMasksIsAnError) {
  write_dataset(3);
  EXPECT_NE(message({.images = "no_such"}).find("no_such"), std::string::npos);
  EXPECT_NE(message({.masks = "no_such"}).find("no_such"), std::string::npos);
  EXPECT_NE(message({.poses = "no_such"}), "");
}

}  // namespace
}  // namespace mote
