// Damaged photographs and masks, and those that do not match their cameras: each is left out with a
// warning before training.
#include "core/file.h"
#include "dataset_faults_fixture.h"

namespace mote {
namespace {

using PhotographFaults = DatasetFaults;

TEST_F(PhotographFaults, ATruncatedPhotographIsDetectedAtLoad) {
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

TEST_F(PhotographFaults, AJpegTruncatedAnywhereIsDetectedAtLoadAndNamed) {
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

TEST_F(PhotographFaults, DamageInTheMiddleOfAPhotographIsDetectedAtLoad) {
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

TEST_F(PhotographFaults, ADamagedMaskIsDetectedAtLoad) {
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

TEST_F(PhotographFaults, PhotographsWithSixteenBitsAreReadWithEight) {
  for (int channels = 1; channels <= 4; ++channels) {
    SCOPED_TRACE(channels);
    write_dataset(2);
    write_png(pattern_image(20, 16, channels, 1), image("view_00.png"));
    write_png16(image("view_01.png"), 20, 16, channels, 1);
    const LoadedDataset loaded = load_dataset(folder_, {});
    EXPECT_TRUE(warnings_of(loaded.dataset).empty());
    const auto eight = loaded.photos->get(0), sixteen = loaded.photos->get(1);
    ASSERT_EQ(sixteen->color.channels, eight->color.channels);
    for (std::size_t i = 0; i < eight->color.pixels.size(); ++i) {
      ASSERT_NEAR(sixteen->color.pixels[i], eight->color.pixels[i], 1) << i;
    }
  }
}

TEST_F(PhotographFaults, ADatasetOfOnlyDamagedPhotographsIsAnError) {
  write_dataset(1);
  fs::resize_file(image("view_00.png"), 40);
  EXPECT_NE(message().find("view_00.png"), std::string::npos);
}

TEST_F(PhotographFaults, APhotographOfTheSameShapeScalesItsCameraAndAnotherShapeIsLeftOut) {
  write_dataset(10);
  write_png(pattern_image(40, 32, 3, 1), image("view_02.png"));
  write_png(pattern_image(16, 20, 3, 1), image("view_03.png"));
  expect_left(9, {"1 of 10", "view_03.png", "16x20", "another aspect ratio"});
  const Dataset dataset = load();
  const auto& scaled = dataset.photographs[2];
  EXPECT_EQ(scaled.camera.width, 40);
  EXPECT_EQ(scaled.camera.focal_px.x, 2 * dataset.photographs[1].camera.focal_px.x);
  EXPECT_EQ(scaled.camera.center_px, 2.0 * dataset.photographs[1].camera.center_px);
}

TEST_F(PhotographFaults, ANameWithALineFeedIsLeftOutAndReportedOnOneLine) {
  write_dataset(6);
  fs::remove_all(folder_ / "sparse");
  std::string frames;
  for (const char* name :
       {"view_00.png", "view_01.png", "view_02.png", "view_03.png", "a\\nb.png"}) {
    frames += std::string(frames.empty() ? "" : ",") + R"({"file_path": "images/)" + name +
              R"(", "transform_matrix": [[1,0,0,)" + std::to_string(frames.size()) +
              R"(],[0,1,0,0],[0,0,1,4],[0,0,0,1]]})";
  }
  write_bytes(folder_ / "transforms.json", R"({"fl_x": 20, "frames": [)" + frames + "]}");
  fs::copy(image("view_04.png"), image("a\nb.png"));
  expect_left(4, {"1 of 5", "control characters", "images/a\\nb.png", "rename"});
}

TEST_F(PhotographFaults, APhotographOfFewPixelsIsReportedAsTooSmall) {
  write_dataset(5);
  write_png(pattern_image(1, 1, 3, 1), image("view_02.png"));
  expect_left(4, {"view_02.png is too small: 1x1 pixels", "each side needs at least 8"});
  write_colmap_text(folder_ / "sparse/0", tiny_views({.views = 5, .width = 1, .height = 1}));
  for (int i = 0; i < 5; ++i) {
    write_png(pattern_image(1, 1, 3, 1), image("view_0" + std::to_string(i) + ".png"));
  }
  EXPECT_NE(message().find("too small"), std::string::npos) << message();
}

}  // namespace
}  // namespace mote
