// Photographs that are EXR files, as linear light and as display values.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "io/datasets/dataset_source.h"
#include "io/images/exr_reading.h"
#include "io/images/image_files.h"
#include "math/display_curve.h"
#include "math/half.h"
#include "scene/photo_light.h"
#include "support/dataset_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kWidth = 40, kHeight = 32;

class ExrPhotographs : public ::testing::Test {
 protected:
  ExrPhotographs()
      : folder_(fs::path(::testing::TempDir()) / ("exr_photos_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "images");
    file_ = {{"fl_x", 40.0}, {"frames", json::array()}};
    for (int i = 0; i < 3; ++i) {
      file_["frames"].push_back(
          {{"file_path", fmt::format("images/photo_{}.exr", i)},
           {"transform_matrix", {{1, 0, 0, double(i)}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}});
      write(i, light(3));
    }
  }
  ~ExrPhotographs() override { fs::remove_all(folder_); }

  fs::path photo(int i) const { return folder_ / "images" / fmt::format("photo_{}.exr", i); }

  /// Values from 0 to 5; alpha, if any, is 0 in the left half and one half elsewhere.
  static Image light(int channels) {
    Image image;
    image.resize_discard(kWidth, kHeight, channels);
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        float* to = image.row(y) + x * channels;
        const float alpha = channels < 4 ? 1 : x < kWidth / 2 ? 0 : 0.5f;
        for (int c = 0; c < 3; ++c) to[c] = alpha * 5 * static_cast<float>(x + y + c) / 73;
        if (channels == 4) to[3] = alpha;
      }
    }
    return image;
  }
  void write(int i, const Image& image) const {
    const std::vector<std::string> names{"R", "G", "B", "A"};
    write_exr(image, {names.begin(), names.begin() + image.channels}, photo(i));
  }
  LoadedDataset load(const std::string& mode, DatasetOptions options = {}) const {
    write_bytes(folder_ / "transforms.json", file_.dump());
    options.light_mode = mode;
    options.test_every = 0;
    return load_dataset(folder_, options);
  }
  /// The warning about the first photograph, which is left out.
  std::string fault_of_first() const {
    const LoadedDataset data = load("unbounded");
    EXPECT_EQ(data.dataset.photographs.size(), 2u);
    EXPECT_EQ(data.facts.damaged, 1u);
    std::string all;
    for (const std::string& warning : data.dataset.warnings) all += warning + "\n";
    return all;
  }

  fs::path folder_;
  json file_;
};

TEST_F(ExrPhotographs, AreLinearLightWithoutABound) {
  const LoadedDataset data = load("unbounded");
  EXPECT_TRUE(data.dataset.is_linear);
  EXPECT_EQ(data.facts.linear, 3u);
  const auto photo = data.photos->get(1);
  ASSERT_TRUE(photo->is_linear());
  EXPECT_TRUE(photo->color.pixels.empty());
  EXPECT_EQ(photo->light.channels, 3);
  const Image stored = light(3);
  for (std::size_t i = 0; i < stored.pixels.size(); ++i) {
    ASSERT_EQ(photo->light.pixels[i], to_half(stored.pixels[i]));
  }
  EXPECT_EQ(data.photos->bytes_needed(), 3u * kWidth * kHeight * 3 * 2);
}

TEST_F(ExrPhotographs, AreDisplayValuesForSplats) {
  for (const std::string mode : {"auto", "display"}) {
    const LoadedDataset data = load(mode);
    EXPECT_FALSE(data.dataset.is_linear);
    const auto photo = data.photos->get(0);
    ASSERT_FALSE(photo->is_linear());
    const Image stored = light(3);
    for (std::size_t i = 0; i < stored.pixels.size(); ++i) {
      ASSERT_NEAR(photo->color.pixels[i], 255 * display_from_linear(stored.pixels[i]), 0.6);
    }
    EXPECT_EQ(data.photos->bytes_needed(), 3u * kWidth * kHeight * 3);
  }
  EXPECT_NE(load("auto").dataset.photographs[0].pixels_signature,
            load("unbounded").dataset.photographs[0].pixels_signature);
}

TEST_F(ExrPhotographs, ColourWithAlphaIsMultipliedWithIt) {
  write(0, light(4));
  const LoadedDataset linear = load("unbounded"), display = load("display");
  const auto lit_photo = linear.photos->get(0), shown = display.photos->get(0);
  ASSERT_EQ(lit_photo->light.channels, 4);
  ASSERT_EQ(shown->color.channels, 4);
  const int x = 30, y = 20;
  const Image stored = light(4);
  for (int c = 0; c < 3; ++c) {
    const float own = stored.row(y)[4 * x + c];
    EXPECT_EQ(lit_photo->light.row(y)[4 * x + c], to_half(own));
    EXPECT_NEAR(shown->color.row(y)[4 * x + c], 255 * display_from_linear(own / 0.5f), 1);
  }
  EXPECT_EQ(lit_photo->light.row(y)[4 * x + 3], to_half(0.5f));
  EXPECT_EQ(shown->color.row(y)[4 * x + 3], 128);
  EXPECT_EQ(shown->color.row(y)[3], 0);
}

TEST_F(ExrPhotographs, AreShownAlikeInBothModesAtAnySize) {
  write(0, light(4));
  for (const double resize : {1.0, 0.5, 0.3, 1.5}) {
    SCOPED_TRACE(resize);
    const LoadedDataset linear = load("unbounded", {.resize = resize});
    const LoadedDataset display = load("display", {.resize = resize});
    for (const std::uint32_t i : {0u, 1u}) {
      const PhotoPixels one = displayed(*linear.photos->get(i));
      const auto other = display.photos->get(i);
      EXPECT_TRUE(std::ranges::equal(one.color.pixels.span(), other->color.pixels.span()));
    }
  }
}

TEST_F(ExrPhotographs, HalvingAveragesLight) {
  Image image = light(3);
  for (int c = 0; c < 3; ++c) image.row(0)[c] = 100;  // one of four
  for (int c = 3; c < 6; ++c) image.row(0)[c] = 0;
  for (int c = 0; c < 6; ++c) image.row(1)[c] = 0;
  write(0, image);
  const auto half = load("unbounded").photos->get(0, 1);
  EXPECT_EQ(half->light.width, kWidth / 2);
  EXPECT_EQ(from_half(half->light.pixels[0]), 25);
}

TEST_F(ExrPhotographs, OthersOfTheDatasetBecomeLight) {
  Image grey;
  grey.resize_discard(kWidth, kHeight, 3);
  std::fill(grey.pixels.span().begin(), grey.pixels.span().end(), 188 / 255.0f);
  write_png(grey, folder_ / "images/photo_2.png");
  file_["frames"][2]["file_path"] = "images/photo_2.png";
  const LoadedDataset data = load("unbounded");
  EXPECT_EQ(data.facts.linear, 2u);
  const auto photo = data.photos->get(2);
  ASSERT_TRUE(photo->is_linear());
  EXPECT_NEAR(from_half(photo->light.pixels[0]), linear_from_display(188 / 255.0f), 1e-3);
}

TEST_F(ExrPhotographs, AFolderOfThemReplacesThatOfTheDataset) {
  for (json& frame : file_["frames"]) {
    const std::string name = frame["file_path"];
    frame["file_path"] = fs::path(name).filename().replace_extension(".png").string();
  }
  const LoadedDataset data = load("unbounded", {.images = (folder_ / "images").string()});
  EXPECT_EQ(data.dataset.photographs.size(), 3u);
  EXPECT_TRUE(data.dataset.is_linear);
}

TEST_F(ExrPhotographs, MasksHidePixelsOrCutThemOut) {
  Image mask;
  mask.resize_discard(kWidth, kHeight, 1);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) mask.row(y)[x] = x < 10 ? 0.0f : 1.0f;
  }
  fs::create_directories(folder_ / "masks");
  for (int i = 0; i < 3; ++i) {
    write_png(mask, folder_ / "masks" / fmt::format("photo_{}.exr.png", i));
  }
  const auto ignored = load("unbounded").photos->get(0);
  ASSERT_TRUE(ignored->is_linear());
  EXPECT_EQ(ignored->light.channels, 3);
  EXPECT_EQ(ignored->mask.row(3)[5], 0);
  EXPECT_EQ(total_weight(*ignored), (kWidth - 10) * kHeight);
  const auto cut = load("unbounded", {.mask_mode = "segment"}).photos->get(0);
  ASSERT_EQ(cut->light.channels, 4);
  EXPECT_EQ(cut->light.row(3)[4 * 5 + 1], 0);
  EXPECT_EQ(cut->light.row(3)[4 * 5 + 3], 0);
  EXPECT_EQ(cut->light.row(3)[4 * 15 + 3], to_half(1));
  EXPECT_EQ(cut->light.row(3)[4 * 15], ignored->light.row(3)[3 * 15]);
}

TEST_F(ExrPhotographs, AnExrIsNoMask) {
  fs::create_directories(folder_ / "masks");
  fs::copy_file(photo(1), folder_ / "masks/photo_0.exr.png");
  EXPECT_NE(fault_of_first().find("save the mask as PNG"), std::string::npos);
}

TEST_F(ExrPhotographs, ValuesThatAreNotFiniteAreRefusedWithTheirPlace) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    for (const int channel : {1, 3}) {
      Image image = light(4);
      image.row(7)[4 * 11 + channel] = bad;
      write(0, image);
      const std::string fault = fault_of_first();
      EXPECT_NE(fault.find("pixel (11, 7)"), std::string::npos) << fault;
      EXPECT_NE(fault.find("not finite"), std::string::npos) << fault;
    }
  }
}

TEST_F(ExrPhotographs, ValuesBeyondHalvesAndBelowZeroAreBounded) {
  Image image = light(4);
  image.pixels[0] = -1;
  image.pixels[1] = 1e9f;
  image.pixels[3] = 7;
  write(0, image);
  const ImageLight read = read_exr_light(photo(0));
  EXPECT_EQ(read.pixels[0], 0);
  EXPECT_EQ(from_half(read.pixels[1]), kLargestHalfFloat);
  EXPECT_EQ(from_half(read.pixels[3]), 1);
}

TEST_F(ExrPhotographs, DamagedFilesAreLeftOutWithTheReason) {
  const std::string whole = read_text_file(photo(0));
  for (const std::size_t bytes :
       {std::size_t{4}, std::size_t{60}, whole.size() / 2, whole.size() - 1}) {
    SCOPED_TRACE(bytes);
    file_["w"] = kWidth;  // otherwise the size is read from the file
    file_["h"] = kHeight;
    write_bytes(photo(0), whole.substr(0, bytes));
    const std::string fault = fault_of_first();
    EXPECT_NE(fault.find("damaged EXR"), std::string::npos) << fault;
    EXPECT_NE(fault.find("copy or download the file again"), std::string::npos) << fault;
  }
}

TEST_F(ExrPhotographs, LateDamageIsAnErrorOfTheStore) {
  const LoadedDataset data = load("unbounded");
  fs::resize_file(photo(0), fs::file_size(photo(0)) / 2);
  EXPECT_THROW(data.photos->get(0), Error);
}

}  // namespace
}  // namespace mote
