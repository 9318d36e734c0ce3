// Datasets that are broken in the ways in which datasets are: each ends in a clear message, or
// goes on with a warning.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "dataset_fixture.h"
#include "file_bytes.h"
#include "io/colmap_points.h"
#include "io/dataset_source.h"
#include "io/image_files.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class DatasetFaults : public ::testing::Test {
 protected:
  DatasetFaults()
      : folder_(fs::path(::testing::TempDir()) / ("faults_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~DatasetFaults() override { fs::remove_all(folder_); }

  /// Views of 20x16 with their photographs and poses.
  std::vector<View> write_dataset(int views) {
    const std::vector<View> all = tiny_views({.views = views, .width = 20, .height = 16});
    write_colmap_text(folder_ / "sparse/0", all);
    fs::create_directories(folder_ / "images");
    for (const View& view : all) {
      write_png(pattern_image(20, 16, 3, 1), folder_ / "images" / (view.name + ".png"));
    }
    return all;
  }
  fs::path image(const std::string& name) const { return folder_ / "images" / name; }

  Dataset load(const DatasetOptions& options = {}) {
    return load_dataset(folder_, options).dataset;
  }
  std::string message(const DatasetOptions& options = {}) {
    try {
      load(options);
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty());
      return error.what();
    }
    return "";
  }
  /// Loads and expects so many photographs and one warning with the phrases.
  void expect_left(std::size_t photographs, const std::vector<std::string>& phrases) {
    const Dataset dataset = load();
    EXPECT_EQ(dataset.photographs.size(), photographs);
    ASSERT_EQ(dataset.warnings.size(), 1u) << ::testing::PrintToString(dataset.warnings);
    for (const std::string& phrase : phrases) {
      EXPECT_NE(dataset.warnings[0].find(phrase), std::string::npos) << dataset.warnings[0];
    }
  }

  fs::path folder_;
};

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

TEST_F(DatasetFaults, ATruncatedPhotographIsFoundAtLoad) {
  write_dataset(10);
  fs::resize_file(image("view_03.png"), fs::file_size(image("view_03.png")) - 30);
  fs::resize_file(image("view_04.png"), 20);
  write_bytes(image("view_05.png"), "");
  fs::remove(image("view_06.png"));
  fs::create_directories(image("view_06.png"));
  const Dataset dataset = load();
  EXPECT_EQ(dataset.photographs.size(), 6u);
  ASSERT_EQ(dataset.warnings.size(), 2u);
  EXPECT_NE(dataset.warnings[1].find("3 of 9"), std::string::npos) << dataset.warnings[1];
  EXPECT_NE(dataset.warnings[1].find("view_03.png"), std::string::npos);
}

TEST_F(DatasetFaults, ATruncatedJpegIsFoundAtLoadAndNamedWhereverItEnds) {
  const std::vector<View> views = tiny_views({.views = 8, .width = 96, .height = 80});
  write_colmap_text(folder_ / "sparse/0", views, ".jpg");
  const std::string whole = jpeg_bytes(96, 80, 1);
  for (const View& view : views) write_bytes(image(view.name + ".jpg"), whole);
  EXPECT_TRUE(load().warnings.empty());
  for (const std::size_t size : {whole.size() - 1, whole.size() - 40, whole.size() / 2,
                                 whole.size() / 4, std::size_t{100}, std::size_t{3}}) {
    SCOPED_TRACE(size);
    write_bytes(image("view_03.jpg"), whole.substr(0, size));
    expect_left(7, {"1 of 8", "view_03.jpg", "left out"});
  }
  for (const View& view : views) write_bytes(image(view.name + ".jpg"), whole.substr(0, 900));
  EXPECT_NE(message().find("view_00.jpg"), std::string::npos) << message();
}

TEST_F(DatasetFaults, DamageInsideAPhotographWhoseEndIsWholeIsFoundAtLoad) {
  const std::vector<View> views = tiny_views({.views = 8, .width = 96, .height = 80});
  fs::create_directories(folder_ / "images");
  for (const std::string extension : {".jpg", ".png"}) {
    write_colmap_text(folder_ / "sparse/0", views, extension);
    for (const View& view : views) {
      const fs::path path = image(view.name + extension);
      if (extension == ".png") write_png(pattern_image(96, 80, 3, 1), path);
      if (extension == ".jpg") write_bytes(path, jpeg_bytes(96, 80, 1));
    }
    EXPECT_TRUE(load().warnings.empty());
    const fs::path damaged = image("view_03" + extension);
    const std::string whole = read_text_file(damaged);
    const std::size_t size = whole.size(), end = extension == ".png" ? 12 : 2;
    std::vector<std::string> broken{whole.substr(0, size / 2) + whole.substr(size - end)};
    for (const std::size_t hole : {size / 8, size / 3}) {
      for (const std::size_t at : {size / 3, size / 2}) {
        broken.push_back(std::string(whole).replace(at, hole, hole, '\0'));
      }
    }
    for (std::size_t i = 0; i < broken.size(); ++i) {
      SCOPED_TRACE(extension + std::to_string(i));
      write_bytes(damaged, broken[i]);
      expect_left(7, {"1 of 8", "view_03" + extension, "damaged", "left out", "copy or download"});
    }
  }
}

TEST_F(DatasetFaults, ADamagedMaskIsFoundAtLoad) {
  write_dataset(8);
  const fs::path mask = folder_ / "masks/view_03.png";
  fs::create_directories(folder_ / "masks");
  write_png(pattern_image(20, 16, 1, 2), mask);
  std::string bytes = read_text_file(mask);
  bytes.replace(bytes.size() / 2, 8, 8, '\0');
  write_bytes(mask, bytes);
  const Dataset dataset = load();
  EXPECT_EQ(dataset.photographs.size(), 7u);
  EXPECT_NE(dataset.warnings.back().find("masks/view_03.png damaged PNG"), std::string::npos);
}

TEST_F(DatasetFaults, PhotographsOfSixteenBitsAreTakenAsTheirEight) {
  for (int channels = 1; channels <= 4; ++channels) {
    SCOPED_TRACE(channels);
    write_dataset(2);
    write_png(pattern_image(20, 16, channels, 1), image("view_00.png"));
    write_png16(image("view_01.png"), 20, 16, channels, 1);
    const LoadedDataset loaded = load_dataset(folder_, {});
    EXPECT_EQ(loaded.dataset.warnings, std::vector<std::string>{});
    const auto eight = loaded.photos->get(0), sixteen = loaded.photos->get(1);
    ASSERT_EQ(sixteen->color.channels, eight->color.channels);
    for (std::size_t i = 0; i < eight->color.pixels.size(); ++i) {
      ASSERT_NEAR(sixteen->color.pixels[i], eight->color.pixels[i], 1) << i;
    }
  }
}

TEST_F(DatasetFaults, OnlyDamagedPhotographsAreAnError) {
  write_dataset(1);
  fs::resize_file(image("view_00.png"), 40);
  EXPECT_NE(message().find("view_00.png"), std::string::npos);
}

TEST_F(DatasetFaults, APhotographOfTheSameShapeScalesItsCameraAndAnotherShapeIsLeftOut) {
  write_dataset(10);
  write_png(pattern_image(40, 32, 3, 1), image("view_02.png"));
  write_png(pattern_image(16, 20, 3, 1), image("view_03.png"));
  expect_left(9, {"1 of 10", "view_03.png", "16x20", "another shape"});
  const Dataset dataset = load();
  const auto& scaled = dataset.photographs[2];
  EXPECT_EQ(scaled.camera.width, 40);
  EXPECT_EQ(scaled.camera.focal_px.x, 2 * dataset.photographs[1].camera.focal_px.x);
  EXPECT_EQ(scaled.camera.center_px, 2.0 * dataset.photographs[1].camera.center_px);
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

TEST_F(DatasetFaults, ASplitWithoutTestsSaysSo) {
  write_dataset(9);
  EXPECT_EQ(load({.test_every = 0}).train.size(), 9u);
  EXPECT_TRUE(load({.test_every = 0}).warnings.empty());
  EXPECT_EQ(load({.test_every = 1}).train.size(), 9u);  // which would leave nothing to train on
  EXPECT_EQ(load({.test_every = 100}).test, (std::vector<std::uint32_t>{0}));
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

TEST_F(DatasetFaults, PointsThatNoTrainingPhotographShowsAreAWarningOnceTheyAreMost) {
  write_dataset(8);
  const std::string seen = "1 0 0 0 1 2 3 0.5\n2 0.1 0 0 1 2 3 0.5\n";
  const std::string behind = "3 40 0 0 1 2 3 0.5\n", beside = "4 0 9 0 1 2 3 0.5\n";
  const fs::path points = folder_ / "sparse/0/points3D.txt";
  write_bytes(points, seen + behind + beside);
  EXPECT_TRUE(load().warnings.empty());
  write_bytes(points, seen + beside + beside + beside);
  expect_left(8, {"of 5 points 3 are in no photograph"});
  std::string many;
  for (int i = 0; i < 6000; ++i) many += beside;
  write_bytes(points, many);
  expect_left(8, {"of 1500 points looked at, of 6000, 1500 are in no photograph"});
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
  expect_left(4, {"all 3 cameras", "in one place"});
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
  EXPECT_NE(warnings[0].find("points3D.bin: promises 1 points and holds 59 bytes more"),
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

TEST_F(DatasetFaults, ACountAboveWhatTheFileHoldsIsTruncation) {
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
  EXPECT_TRUE(dataset.warnings.empty());
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

TEST_F(DatasetFaults, APhotographThatIsListedTwiceIsTakenOnce) {
  write_dataset(3);
  const std::string text = read_text_file(folder_ / "sparse/0/images.txt");
  write_bytes(folder_ / "sparse/0/images.txt", text + "9 1 0 0 0 1 2 3 1 view_01.png\n\n");
  expect_left(3, {"1 of 4", "listed before", "view_01.png"});
}

TEST_F(DatasetFaults, ALensThatLeavesLessThanHalfOfAPhotographIsAWarning) {
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

TEST_F(DatasetFaults, AFolderOfImagesOrMasksThatIsNotThereIsAnError) {
  write_dataset(3);
  EXPECT_NE(message({.images = "no_such"}).find("no_such"), std::string::npos);
  EXPECT_NE(message({.masks = "no_such"}).find("no_such"), std::string::npos);
  EXPECT_NE(message({.model = "no_such"}), "");
}

}  // namespace
}  // namespace mote
