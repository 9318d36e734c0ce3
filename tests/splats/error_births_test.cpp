// Places of new splats where a picture differs from its photograph.
#include "splats/density/error_births.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mote {
namespace {

constexpr int kWidth = 70, kHeight = 44;  // the last cells of rows and columns are smaller
constexpr std::size_t kPixels = std::size_t{kWidth} * kHeight;

/// A grey picture of a wall at depth 5, seen from aside. The photograph is the same.
class ErrorBirths : public testing::Test {
 protected:
  ErrorBirths() {
    camera_.width = kWidth;
    camera_.height = kHeight;
    camera_.focal_px = {80, 90};
    camera_.center_px = {33, 20};
    look_at(camera_, {3, -1, -4}, {0.2, 0.1, 0.3}, {0, -1, 0});
    for (Image* image : {&rgb_, &truth_}) fill(*image, 3, 0.5f);
    fill(alpha_, 1, 1);
    fill(depth_, 1, 5);
  }

  static void fill(Image& image, int channels, float value) {
    image.resize_discard(kWidth, kHeight, channels);
    std::ranges::fill(image.pixels.span(), value);
  }
  /// Calls set(pixel) for the pixels of a cell.
  template <class Set>
  static void in_cell(int column, int row, const Set& set) {
    for (int y = 8 * row; y < std::min(8 * row + 8, kHeight); ++y) {
      for (int x = 8 * column; x < std::min(8 * column + 8, kWidth); ++x) {
        set(static_cast<std::size_t>(y * kWidth + x));
      }
    }
  }
  /// Makes the photograph other in a cell.
  void paint(int column, int row, const std::array<float, 3>& color) {
    in_cell(column, row, [&](std::size_t pixel) {
      for (std::size_t c = 0; c < 3; ++c) truth_.pixels[3 * pixel + c] = color[c];
    });
  }
  std::vector<BirthPlace> births(std::size_t count, std::uint64_t seed = 1) const {
    return error_births({.camera = camera_,
                         .rgb = rgb_,
                         .alpha = alpha_,
                         .depth_median = depth_,
                         .truth = truth_,
                         .weight = weight_},
                        count, seed);
  }
  glm::dvec3 in_camera(const BirthPlace& birth) const {
    return camera_.cam_from_world * birth.position_world + camera_.translation;
  }
  glm::dvec2 in_picture(const BirthPlace& birth) const {
    const glm::dvec3 place = in_camera(birth);
    return glm::dvec2(place.x, place.y) / place.z * camera_.focal_px + camera_.center_px;
  }
  /// The column and row of the cell in which it appears.
  std::pair<int, int> cell_of(const BirthPlace& birth) const {
    const glm::dvec2 place = in_picture(birth);
    return {static_cast<int>(place.x) / 8, static_cast<int>(place.y) / 8};
  }

  Camera camera_;
  Image rgb_, truth_, alpha_, depth_, weight_;
};

TEST_F(ErrorBirths, LieInTheErringCellAtItsDepthWithThePhotographsColour) {
  paint(3, 2, {0.9f, 0.2f, 0.1f});
  in_cell(3, 2, [&](std::size_t pixel) { depth_.pixels[pixel] = 3; });
  double nearest = 9, farthest = 0;
  const std::vector<BirthPlace> found = births(300);
  ASSERT_EQ(found.size(), 300u);
  for (const BirthPlace& birth : found) {
    EXPECT_EQ(cell_of(birth), std::pair(3, 2));
    const double z = in_camera(birth).z;
    nearest = std::min(nearest, z);
    farthest = std::max(farthest, z);
    EXPECT_NEAR(birth.size_world, 8 * z / std::sqrt(80.0 * 90.0), 1e-9);
    EXPECT_FLOAT_EQ(static_cast<float>(birth.color[0]), 0.9f);
    EXPECT_FLOAT_EQ(static_cast<float>(birth.color[1]), 0.2f);
    EXPECT_FLOAT_EQ(static_cast<float>(birth.color[2]), 0.1f);
    const glm::dvec2 place = in_picture(birth);
    EXPECT_NEAR(place.x - std::floor(place.x), 0.5, 1e-9) << "the middle of a pixel";
  }
  EXPECT_GE(nearest, 2.7);
  EXPECT_LT(nearest, 2.72);
  EXPECT_LE(farthest, 3.3);
  EXPECT_GT(farthest, 3.28);
}

TEST_F(ErrorBirths, NoneWhereThePictureIsRight) {
  EXPECT_TRUE(births(10).empty());
  paint(3, 2, {0.51f, 0.49f, 0.51f});
  EXPECT_TRUE(births(10).empty()) << "an error like that of 8 bits or of noise";
  for (float& value : truth_.pixels.span()) value = 0.7f;
  EXPECT_TRUE(births(10).empty()) << "the same error everywhere";
  paint(0, 0, {0.95f, 0.95f, 0.95f});
  const std::vector<BirthPlace> found = births(10);
  ASSERT_EQ(found.size(), 10u);
  for (const BirthPlace& birth : found) EXPECT_EQ(cell_of(birth), std::pair(0, 0));
}

TEST_F(ErrorBirths, CellsAreDrawnInProportionToTheirError) {
  paint(1, 1, {0.8f, 0.5f, 0.5f});
  paint(6, 3, {0.5f, 0.5f, 0.6f});
  paint(8, 5, {0.5f, 0.9f, 0.5f});  // the smaller cell in the corner: 6 x 4 px
  std::array<int, 3> counts{};
  for (const BirthPlace& birth : births(4000)) {
    const auto cell = cell_of(birth);
    ++counts[cell == std::pair(1, 1) ? 0 : cell == std::pair(6, 3) ? 1 : 2];
  }
  // 0.3 * 64 : 0.1 * 64 : 0.4 * 24
  const double sum = 19.2 + 6.4 + 9.6;
  EXPECT_NEAR(counts[0] / 4000.0, 19.2 / sum, 0.03);
  EXPECT_NEAR(counts[1] / 4000.0, 6.4 / sum, 0.03);
  EXPECT_NEAR(counts[2] / 4000.0, 9.6 / sum, 0.03);
}

TEST_F(ErrorBirths, PixelsWithoutWeightHaveNone) {
  paint(3, 2, {1, 0, 0});
  fill(weight_, 1, 1);
  in_cell(3, 2, [&](std::size_t pixel) {
    if (pixel % kWidth % 8 < 4) weight_.pixels[pixel] = 0.2f;
  });
  const std::vector<BirthPlace> found = births(100);
  ASSERT_EQ(found.size(), 100u);
  for (const BirthPlace& birth : found) EXPECT_GE(in_picture(birth).x, 28);
  fill(weight_, 1, 0);
  EXPECT_TRUE(births(100).empty());
}

TEST_F(ErrorBirths, TransparentPixelsGetDepthsOfThePicture) {
  paint(3, 2, {1, 0, 0});
  in_cell(3, 2, [&](std::size_t pixel) { alpha_.pixels[pixel] = depth_.pixels[pixel] = 0; });
  in_cell(5, 1, [&](std::size_t pixel) { depth_.pixels[pixel] = 20; });
  in_cell(5, 2, [&](std::size_t pixel) { depth_.pixels[pixel] = 20; });
  int far = 0;
  const std::vector<BirthPlace> found = births(400);
  ASSERT_EQ(found.size(), 400u);
  for (const BirthPlace& birth : found) {
    EXPECT_EQ(cell_of(birth), std::pair(3, 2));
    const double z = in_camera(birth).z;
    const bool is_far = z > 10;
    EXPECT_NEAR(z, is_far ? 20 : 5, is_far ? 2 : 0.5);
    far += is_far ? 1 : 0;
  }
  EXPECT_NEAR(far / 400.0, 128.0 / (kPixels - 64), 0.03);
  fill(alpha_, 1, 0.4f);
  fill(depth_, 1, 0);
  EXPECT_TRUE(births(10).empty()) << "nowhere is a depth";
}

TEST_F(ErrorBirths, DependOnTheSeedOnly) {
  paint(3, 2, {1, 0, 0});
  paint(7, 4, {0, 1, 0});
  const auto places = [&](std::uint64_t seed) {
    std::vector<double> values;
    for (const BirthPlace& birth : births(20, seed)) values.push_back(birth.position_world.x);
    return values;
  };
  EXPECT_EQ(places(3), places(3));
  EXPECT_NE(places(3), places(4));
}

TEST_F(ErrorBirths, AValueThatIsNotFiniteIsNoErrorAndNoDepth) {
  paint(3, 2, {1, 0, 0});
  rgb_.pixels[0] = std::numeric_limits<float>::quiet_NaN();
  in_cell(3, 2, [&](std::size_t pixel) {
    depth_.pixels[pixel] = std::numeric_limits<float>::infinity();
  });
  const std::vector<BirthPlace> found = births(50);
  ASSERT_EQ(found.size(), 50u);
  for (const BirthPlace& birth : found) {
    EXPECT_EQ(cell_of(birth), std::pair(3, 2));
    EXPECT_NEAR(in_camera(birth).z, 5, 0.5);
  }
}

}  // namespace
}  // namespace mote
