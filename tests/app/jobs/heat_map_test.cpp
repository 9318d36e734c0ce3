// Colours of counts.
#include "app/jobs/heat_map.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>

namespace mote {
namespace {

Image image_of(const std::vector<float>& counts) {
  Image image;
  image.resize_discard(static_cast<int>(counts.size()), 1, 1);
  std::copy(counts.begin(), counts.end(), image.pixels.data());
  return image;
}

TEST(HeatMap, BrightnessGrowsWithoutJumps) {
  const glm::vec3 weights(0.2126f, 0.7152f, 0.0722f);
  constexpr int kSteps = 500;
  for (int i = 0; i < kSteps; ++i) {
    const glm::vec3 here = heat_color(static_cast<float>(i) / kSteps),
                    next = heat_color(static_cast<float>(i + 1) / kSteps);
    EXPECT_GT(glm::dot(weights, next), glm::dot(weights, here)) << i;
    EXPECT_LT(glm::length(next - here), 0.02f) << i;
  }
  EXPECT_EQ(heat_color(-3), glm::vec3(0));
  EXPECT_EQ(heat_color(7), heat_color(1));
}

TEST(HeatMap, AFewStrayPixelsDoNotScaleIt) {
  std::vector<float> counts(1000, 20);
  for (std::size_t i = 0; i < 10; ++i) counts[i] = 1e6f;
  for (std::size_t i = 10; i < 700; ++i) counts[i] = 0;
  const LegendRange range = heat_range(image_of(counts));
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, 1e6f) << "more than 2 of 100 of those that count";
  for (std::size_t i = 4; i < 10; ++i) counts[i] = 20;
  EXPECT_EQ(heat_range(image_of(counts)).high, 20);
}

TEST(HeatMap, HasARangeEvenIfNothingIsCounted) {
  for (const LegendRange range : {heat_range(Image()), heat_range(image_of({0, 0}))}) {
    EXPECT_LT(range.low, range.high);
  }
}

TEST(HeatMap, PaintsNothingBlackAndTheTopOfTheRangeBrightest) {
  Image picture;
  paint_heat(image_of({0, 5, 10, 99}), {0, 10}, picture);
  ASSERT_EQ(picture.channels, 3);
  const float* row = picture.row(0);
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(row[c], 0);
    EXPECT_EQ(row[3 + c], heat_color(0.5f)[c]);
    EXPECT_EQ(row[6 + c], row[9 + c]);
  }
}

}  // namespace
}  // namespace mote
