// Sheets that divide rays: their order, and the light that is left behind them.
#include "cpu/ray_sheets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace mote {
namespace {

/// Sheets of a row of pixels. Some pixels have equal depths, and some sheets are not there.
std::vector<Frame> random_sheets(std::size_t count, int pixels, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Frame> sheets(count);
  for (Frame& sheet : sheets) {
    for (Image* image : {&sheet.alpha, &sheet.depth_expected}) image->resize_discard(pixels, 1, 1);
    for (float& alpha : sheet.alpha.pixels.span()) {
      alpha = random() % 3 == 0 ? 0 : static_cast<float>(random() % 64) / 64;
    }
    for (float& depth : sheet.depth_expected.pixels.span()) {
      depth = static_cast<float>(random() % 8);
    }
  }
  return sheets;
}

TEST(RaySheets, AreMetInTheOrderOfTheirDepths) {
  constexpr int kPixels = 200;
  constexpr float kScale = 2.5f, kTransmittance = 0.75f;
  for (const std::size_t count : {0u, 1u, 2u, 9u}) {
    const std::vector<Frame> frames = random_sheets(count, kPixels, 7);
    const Dividers dividers{.sheets = frames, .depth_scale = kScale};
    for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
      SCOPED_TRACE(testing::Message() << count << " sheets, pixel " << pixel);
      std::vector<std::pair<float, std::size_t>> order;
      for (std::size_t i = 0; i < count; ++i) {
        if (!(frames[i].alpha.pixels[pixel] > 0)) continue;
        order.emplace_back(frames[i].depth_expected.pixels[pixel], i);
      }
      std::ranges::sort(order);
      RaySheets sheets = first_part(dividers, pixel);
      float light = 1;
      for (std::size_t k = 0; k < order.size(); ++k) {
        const float opacity = frames[order[k].second].alpha.pixels[pixel];
        ASSERT_EQ(sheets.part, static_cast<int>(k));
        ASSERT_EQ(sheets.depth, kScale * order[k].first);
        ASSERT_EQ(sheets.opacity, opacity);
        ASSERT_EQ(sheets.light, light);
        pass_sheet(dividers, pixel, kTransmittance, sheets);
        light *= kTransmittance * (1 - opacity);
      }
      ASSERT_EQ(sheets.part, static_cast<int>(order.size()));
      ASSERT_EQ(sheets.depth, std::numeric_limits<float>::infinity());
      ASSERT_EQ(sheets.sheet, RaySheets::kNone);
      ASSERT_EQ(sheets.light, light);
    }
  }
}

TEST(RaySheets, ManyOfThemTakeLittleTime) {
  constexpr std::size_t kCount = 3000;  // a search through all pairs for each would not end
  const std::vector<Frame> frames = random_sheets(kCount, 1, 3);
  const Dividers dividers{.sheets = frames};
  RaySheets sheets = first_part(dividers, 0);
  std::size_t met = 0;
  for (; sheets.sheet != RaySheets::kNone; ++met) pass_sheet(dividers, 0, 1, sheets);
  EXPECT_EQ(met, static_cast<std::size_t>(std::ranges::count_if(
                     frames, [](const Frame& sheet) { return sheet.alpha.pixels[0] > 0; })));
}

}  // namespace
}  // namespace mote
