// Datasets as training sees them: what is found, how it is undistorted, resized and divided.
#include "io/dataset_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "core/error.h"
#include "dataset_fixture.h"
#include "io/image_files.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

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

TEST_F(DatasetLoading, PhotographsWithoutALensKeepTheirPixelsAndEveryEighthIsForTesting) {
  make_tiny_dataset(folder_);
  const LoadedDataset loaded = load_dataset(folder_, {});
  const Dataset& dataset = loaded.dataset;
  ASSERT_EQ(dataset.photographs.size(), 12u);
  EXPECT_TRUE(dataset.warnings.empty());
  EXPECT_EQ(dataset.test, (std::vector<std::uint32_t>{0, 8}));
  EXPECT_EQ(dataset.train.size(), 10u);
  EXPECT_EQ(dataset.points.positions.size(), 60u);
  for (std::uint32_t i = 0; i < 12; ++i) {
    const Photograph& photograph = dataset.photographs[i];
    const Image8 file = read_image8(photograph.image);
    const auto pixels = loaded.photos->get(i);
    ASSERT_EQ(pixels->color.pixels.size(), file.pixels.size());
    EXPECT_TRUE(std::equal(file.pixels.span().begin(), file.pixels.span().end(),
                           pixels->color.pixels.span().begin()));
    EXPECT_TRUE(pixels->mask.pixels.empty());
  }
}

TEST_F(DatasetLoading, TheFoxIsUndistortedAndHalvedAlikeFromBothOfItsFormats) {
  const char* data = std::getenv("MOTE_DATA");
  if (!data) GTEST_SKIP() << "MOTE_DATA is not set";
  const fs::path fox = fs::path(data) / "fox";
  const LoadedDataset colmap = load_dataset(fox, {.resize = 0.5});
  const LoadedDataset transforms = load_dataset(fox, {.model = "transforms.json", .resize = 0.5});
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
