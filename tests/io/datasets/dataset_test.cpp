// Datasets as training sees them: the search for files, undistortion, resizing and the split.
#include "io/datasets/dataset_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <glm/geometric.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "core/bytes.h"
#include "core/error.h"
#include "core/file.h"
#include "io/datasets/colmap.h"
#include "io/images/image_files.h"
#include "support/dataset_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class DatasetLoading : public ::testing::Test {
 protected:
  DatasetLoading()
      : folder_(fs::path(::testing::TempDir()) / ("dataset_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~DatasetLoading() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(DatasetLoading, PhotographsWithoutALensKeepTheirPixelsAndEveryEighthIsATestView) {
  make_tiny_dataset(folder_, {.views = 20});
  const LoadedDataset loaded = load_dataset(folder_, {});
  const Dataset& dataset = loaded.dataset;
  ASSERT_EQ(dataset.photographs.size(), 20u);
  EXPECT_TRUE(dataset.warnings.empty());
  EXPECT_EQ(dataset.test, (std::vector<std::uint32_t>{0, 8, 16}));
  EXPECT_EQ(dataset.train.size(), 17u);
  EXPECT_EQ(dataset.points.positions.size(), 60u);
  for (std::uint32_t i = 0; i < 20; ++i) {
    const Photograph& photograph = dataset.photographs[i];
    const Image8 file = read_image8(photograph.image);
    const auto pixels = loaded.photos->get(i);
    ASSERT_EQ(pixels->color.pixels.size(), file.pixels.size());
    EXPECT_TRUE(std::equal(file.pixels.span().begin(), file.pixels.span().end(),
                           pixels->color.pixels.span().begin()));
    EXPECT_TRUE(pixels->mask.pixels.empty());
  }
}

/// A camera at (x, 0, 4) that looks along -z.
json ahead(double x) {
  json matrix = json::parse("[[1,0,0,0],[0,1,0,0],[0,0,1,4],[0,0,0,1]]");
  matrix[0][3] = x;
  return matrix;
}

TEST_F(DatasetLoading, NerfSyntheticFilesKeepTheirOwnSplitTheirAlphaAndTheirTimes) {
  for (const char* part : {"train", "val", "test"}) {
    json file{{"camera_angle_x", 0.8}, {"frames", json::array()}};
    fs::create_directories(folder_ / part);
    for (int i = 0; i < 3; ++i) {
      const std::string name = fmt::format("{}/r_{}", part, i);
      write_png(pattern_image(20, 16, 4, 1), folder_ / (name + ".png"));
      file["frames"].push_back(
          {{"file_path", "./" + name}, {"transform_matrix", ahead(0.1 * i)}, {"time", 0.5 * i}});
    }
    write_bytes(folder_ / fmt::format("transforms_{}.json", part), file.dump());
  }
  const LoadedDataset loaded = load_dataset(folder_, {});
  const Dataset& dataset = loaded.dataset;
  EXPECT_TRUE(dataset.warnings.empty());
  EXPECT_EQ(std::ranges::count_if(dataset.notes,
                                  [](const std::string& note) {
                                    return note.find("3 different times") != std::string::npos;
                                  }),
            1);
  ASSERT_EQ(dataset.photographs.size(), 6u);
  EXPECT_EQ(dataset.test, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(dataset.photographs[0].name, "test/r_0");
  EXPECT_EQ(dataset.photographs[5].time_s, 1.0);
  EXPECT_NEAR(dataset.photographs[0].camera.focal_px.x, 10 / std::tan(0.4), 1e-9);
  EXPECT_EQ(loaded.photos->get(0)->color.channels, 4);
  fs::remove(folder_ / "transforms_test.json");
  EXPECT_EQ(load_dataset(folder_, {}).dataset.photographs[3].name, "val/r_0");
}

TEST_F(DatasetLoading, NerfstudioFilesBringLensMaskPointsAndSplit) {
  json file{{"fl_x", 40.0},
            {"k1", -0.1},
            {"camera_model", "OPENCV"},
            {"w", 40},
            {"h", 32},
            {"ply_file_path", "points.ply"},
            {"frames", json::array()}};
  for (int i = 0; i < 4; ++i) {
    const std::string name = fmt::format("photo_{}.png", i);
    write_bytes(folder_ / "images" / name, "");
    write_png(pattern_image(40, 32, 3, 1), folder_ / "images" / name);
    Image mask = pattern_image(40, 32, 1, 1);
    for (int y = 0; y < 32; ++y) {
      for (int x = 0; x < 40; ++x) mask.row(y)[x] = x < 20 ? 0.0f : 1.0f;
    }
    write_bytes(folder_ / "masks" / name, "");
    write_png(mask, folder_ / "masks" / name);
    file["frames"].push_back({{"file_path", "images/" + name},
                              {"mask_path", "masks/" + name},
                              {"transform_matrix", ahead(0.1 * i)}});
  }
  file["train_filenames"] = {"images/photo_0.png", "images/photo_2.png", "images/photo_3.png"};
  file["val_filenames"] = {"images/photo_1.png"};
  write_bytes(folder_ / "points.ply",
              "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
              "property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
              "end_header\n1 2 -3 10 20 30\nnan 0 0 1 1 1\n0.5 0 0 255 0 9\n");
  write_bytes(folder_ / "transforms.json", file.dump());
  const LoadedDataset loaded = load_dataset(folder_, {});
  const Dataset& dataset = loaded.dataset;
  ASSERT_EQ(dataset.photographs.size(), 4u);
  EXPECT_EQ(dataset.test, (std::vector<std::uint32_t>{1}));
  ASSERT_EQ(dataset.points.positions.size(), 2u);
  EXPECT_EQ(dataset.points.positions[0], glm::dvec3(1, 2, -3));
  EXPECT_EQ(dataset.points.colors[0], (std::array<std::uint8_t, 3>{10, 20, 30}));
  EXPECT_EQ(dataset.warnings.size(), 1u);  // about the point at infinity
  const auto ignored = loaded.photos->get(0);
  EXPECT_EQ(ignored->color.channels, 3);
  EXPECT_EQ(ignored->mask.width, ignored->color.width);
  EXPECT_EQ(ignored->mask.row(10)[5], 0);
  EXPECT_EQ(ignored->mask.row(10)[30], 255);
  const auto segmented = load_dataset(folder_, {.mask_mode = "segment"}).photos->get(0);
  EXPECT_TRUE(segmented->mask.pixels.empty());
  ASSERT_EQ(segmented->color.channels, 4);
  EXPECT_EQ(segmented->color.row(10)[4 * 5 + 3], 0);
  EXPECT_EQ(segmented->color.row(10)[4 * 30 + 3], 255);
}

TEST_F(DatasetLoading, PointsOfTheReconstructionFollowTheAppliedTransform) {
  make_tiny_dataset(folder_ / "colmap");
  const PointCloud original = load_dataset(folder_ / "colmap", {}).dataset.points;
  fs::rename(folder_ / "colmap/images", folder_ / "images");
  json file{{"fl_x", 40.0}, {"frames", json::array()}};
  file["applied_transform"] = json::parse("[[1,0,0,0],[0,0,1,0],[0,-1,0,5]]");
  file["frames"].push_back({{"file_path", "images/view_00.png"}, {"transform_matrix", ahead(0)}});
  write_bytes(folder_ / "transforms.json", file.dump());
  const PointCloud moved = load_dataset(folder_, {}).dataset.points;
  ASSERT_EQ(moved.positions.size(), original.positions.size());
  const glm::dvec3 p = original.positions[7];
  EXPECT_EQ(moved.positions[7], glm::dvec3(p.x, p.z, 5 - p.y));
}

TEST_F(DatasetLoading, MasksAreFoundByEitherNamingScheme) {
  make_tiny_dataset(folder_, {.views = 4});
  Image mask = pattern_image(32, 24, 1, 1);  // half the size of the photographs
  std::fill(mask.pixels.span().begin(), mask.pixels.span().end() - 32, 0.0f);
  fs::create_directories(folder_ / "masks");
  write_png(mask, folder_ / "masks/view_00.png.png");
  write_png(mask, folder_ / "masks/view_01.png");
  const LoadedDataset loaded = load_dataset(folder_, {});
  EXPECT_EQ(loaded.dataset.photographs[0].mask.filename(), "view_00.png.png");
  EXPECT_EQ(loaded.dataset.photographs[1].mask.filename(), "view_01.png");
  EXPECT_TRUE(loaded.dataset.photographs[2].mask.empty());
  EXPECT_EQ(loaded.dataset.warnings.size(), 1u);
  EXPECT_EQ(loaded.photos->get(0)->mask.width, 64);
  EXPECT_EQ(loaded.photos->get(0)->mask.pixels[99], 0);
  EXPECT_TRUE(loaded.photos->get(2)->mask.pixels.empty());
}

TEST_F(DatasetLoading, GreyPhotographsBecomeColorAndOpaqueAlphaIsDropped) {
  make_tiny_dataset(folder_, {.views = 3});
  write_png(pattern_image(64, 48, 1, 1), folder_ / "images/view_00.png");
  write_png(pattern_image(64, 48, 2, 1), folder_ / "images/view_01.png");
  Image opaque = pattern_image(64, 48, 4, 1);
  for (std::size_t i = 3; i < opaque.pixels.size(); i += 4) opaque.pixels[i] = 1;
  write_png(opaque, folder_ / "images/view_02.png");
  const LoadedDataset loaded = load_dataset(folder_, {});
  const int channels[] = {3, 4, 3};
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(loaded.photos->get(i)->color.channels, channels[i]) << i;
  }
  EXPECT_EQ(loaded.photos->get(0)->color.pixels[3], loaded.photos->get(0)->color.pixels[5]);
}

TEST_F(DatasetLoading, SizesFollowTheFactorAndTheLongestSide) {
  make_tiny_dataset(folder_, {.views = 2});
  const auto camera = [&](const DatasetOptions& options) {
    return load_dataset(folder_, options).dataset.photographs[0].camera;
  };
  EXPECT_EQ(camera({.resize = 0.5}).width, 32);
  EXPECT_EQ(camera({.resize = 0.5}).height, 24);
  EXPECT_EQ(camera({.max_resolution = 40}).width, 40);
  EXPECT_EQ(camera({.max_resolution = 40}).height, 30);
  EXPECT_EQ(camera({.resize = 0.5, .max_resolution = 40}).width, 32);
  const Camera third = camera({.resize = 0.34});
  EXPECT_EQ(third.width, 22);
  EXPECT_EQ(third.focal_px.x, 1.2 * 48 * 22 / 64);
}

TEST_F(DatasetLoading, AnotherFolderOfImagesScalesTheIntrinsics) {
  make_tiny_dataset(folder_, {.views = 2});
  fs::create_directories(folder_ / "images_2");
  for (const char* name : {"view_00.png", "view_01.png"}) {
    write_png(pattern_image(32, 24, 3, 1), folder_ / "images_2" / name);
  }
  const Dataset dataset = load_dataset(folder_ / "sparse/0", {.images = "../../images_2"}).dataset;
  EXPECT_EQ(dataset.photographs[0].camera.width, 32);
  EXPECT_EQ(dataset.photographs[0].camera.focal_px.x, 0.5 * 1.2 * 48);
  EXPECT_EQ(load_dataset(folder_, {.images = "images_2"}).dataset.photographs[1].camera.height, 24);
  // The model alone suffices to find the usual folder.
  EXPECT_EQ(load_dataset(folder_ / "sparse/0", {}).dataset.photographs[0].camera.width, 64);
}

TEST_F(DatasetLoading, OptionsAreDescribedWithTheirDefaults) {
  DatasetOptions options;
  OptionTable table;
  options.describe(table);
  EXPECT_EQ(table.to_json()["test-every"], 8);
  table.from_json({{"resize", 0.5}, {"mask-mode", "segment"}}, "test");
  EXPECT_EQ(options.resize, 0.5);
  EXPECT_THROW(table.from_json({{"mask-mode", "both"}}, "test"), UsageError);
  EXPECT_THROW(table.from_json({{"resize", 0}}, "test"), UsageError);
}

/// An observation of images.bin: the measured projection of a 3D point.
struct Observation {
  std::string image;
  glm::dvec2 px;
  std::uint64_t point;
};

std::vector<Observation> read_observations(const fs::path& path) {
  const std::string bytes = read_text_file(path);
  ByteReader reader(std::as_bytes(std::span(bytes)), path.string());
  std::vector<Observation> all;
  for (auto left = reader.read<std::uint64_t>(); left > 0; --left) {
    reader.skip(4 + 7 * 8 + 4);
    std::string name;
    while (const char c = reader.read<char>()) name += c;
    for (auto points = reader.read<std::uint64_t>(); points > 0; --points) {
      Observation one{name, {}, 0};
      one.px.x = reader.read<double>();
      one.px.y = reader.read<double>();
      one.point = reader.read<std::uint64_t>();
      if (one.point != ~std::uint64_t{0}) all.push_back(one);
    }
  }
  return all;
}

std::map<std::uint64_t, glm::dvec3> read_points_by_id(const fs::path& path) {
  const std::string bytes = read_text_file(path);
  ByteReader reader(std::as_bytes(std::span(bytes)), path.string());
  std::map<std::uint64_t, glm::dvec3> points;
  for (auto left = reader.read<std::uint64_t>(); left > 0; --left) {
    const auto id = reader.read<std::uint64_t>();
    for (int axis = 0; axis < 3; ++axis) points[id][axis] = reader.read<double>();
    reader.skip(3 + 8);
    reader.skip(8 * reader.read<std::uint64_t>());
  }
  return points;
}

TEST_F(DatasetLoading, RealPointsMatchTheirObservationsAfterUndistortion) {
  const char* data = std::getenv("MOTE_DATA");
  if (!data) GTEST_SKIP() << "MOTE_DATA is not set";
  for (const char* name : {"fox", "monstree"}) {
    const fs::path model = fs::path(data) / name / "sparse/0";
    const Dataset dataset = load_dataset(fs::path(data) / name, {}).dataset;
    const PosedImages written = read_colmap_model(model);
    std::map<std::string, std::size_t> number;  // index of each name; both are sorted by name
    for (std::size_t i = 0; i < written.images.size(); ++i) number[written.images[i].file] = i;
    const auto points = read_points_by_id(model / "points3D.bin");
    double before = 0, after = 0;
    std::size_t count = 0;
    for (const Observation& one : read_observations(model / "images.bin")) {
      const PosedImage& source = written.images[number.at(one.image)];
      const Camera& target = dataset.photographs[number.at(one.image)].camera;
      const glm::dvec3 p = target.cam_from_world * points.at(one.point) + target.translation;
      const glm::dvec2 uv(p.x / p.z, p.y / p.z);
      const Camera& c = source.camera;
      before += glm::length(c.focal_px * distort(source.lens, uv) + c.center_px - one.px);
      const auto seen = undistort(source.lens, (one.px - c.center_px) / c.focal_px);
      ASSERT_TRUE(seen);
      after += glm::length(target.focal_px * (uv - *seen));
      ++count;
    }
    ASSERT_GT(count, 10000u);
    before /= static_cast<double>(count);
    after /= static_cast<double>(count);
    EXPECT_LT(before, 1.0) << name;
    EXPECT_NEAR(after, before, 0.02 * before) << name;
    RecordProperty(std::string(name) + "_px", fmt::format("{} before, {} after", before, after));
  }
}

TEST_F(DatasetLoading, TheFoxIsUndistortedAndHalvedAlikeFromBothOfItsFormats) {
  const char* data = std::getenv("MOTE_DATA");
  if (!data) GTEST_SKIP() << "MOTE_DATA is not set";
  const fs::path fox = fs::path(data) / "fox";
  const LoadedDataset colmap = load_dataset(fox, {.resize = 0.5});
  const LoadedDataset transforms = load_dataset(fox, {.poses = "transforms.json", .resize = 0.5});
  for (const LoadedDataset* loaded : {&colmap, &transforms}) {
    const Dataset& dataset = loaded->dataset;
    ASSERT_EQ(dataset.photographs.size(), 50u);
    EXPECT_EQ(dataset.test, (std::vector<std::uint32_t>{0, 8, 16, 24, 32, 40, 48}));
    for (const Photograph& photograph : dataset.photographs) {
      EXPECT_EQ(photograph.camera.width, 267);
      EXPECT_EQ(photograph.camera.height, 476);
      EXPECT_NEAR(photograph.camera.focal_px.x, 344.2, 1.0);
    }
    EXPECT_EQ(loaded->photos->get(7)->color.width, 267);
  }
  EXPECT_EQ(colmap.dataset.points.positions.size(), 12086u);
}

}  // namespace
}  // namespace mote
