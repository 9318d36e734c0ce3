// Small pictures in a GUI.
#include "present/picture_pass.h"

#include <algorithm>

#include "support/present_fixture.h"

namespace mote {
namespace {

using namespace present;

class Pictures : public PresentTest {
 protected:
  static Image8 plain(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
    Image8 image;
    image.resize_discard(4, 4, 3);
    for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
      image.pixels[i] = red, image.pixels[i + 1] = green, image.pixels[i + 2] = blue;
    }
    return image;
  }
  static std::array<int, 3> pixel(const Image8& image, int x, int y) {
    const std::uint8_t* p = image.row(y) + 3 * x;
    return {p[0], p[1], p[2]};
  }
};

TEST_F(Pictures, AreDrawnInPlaceAndClippedToTheirRectangle) {
  PicturePass pass(presenter_->device(), presenter_->gui_context().render_pass);
  const std::size_t red = pass.add(plain(255, 0, 0)), blue = pass.add(plain(0, 0, 255));
  const auto gui = [&](VkCommandBuffer commands) {
    pass.record(commands, red,
                {.corners = rectangle({2, 2}, {10, 10}),
                 .clip_from = {-5, 4},
                 .clip_to = {8, 99},
                 .target = {40, 30}});
    pass.record(commands, blue,
                {.corners = rectangle({20, 10}, {30, 20}),
                 .clip_from = {},
                 .clip_to = {40, 30},
                 .target = {40, 30}});
    pass.record(commands, blue,
                {.corners = rectangle({0, 0}, {40, 30}),
                 .clip_from = {9, 9},
                 .clip_to = {9, 30},
                 .target = {40, 30}});
  };
  const Image8 shown = presenter_->capture({.gui = gui}, 40, 30);
  EXPECT_EQ(pixel(shown, 5, 6), (std::array<int, 3>{255, 0, 0}));
  EXPECT_EQ(pixel(shown, 5, 3), (std::array<int, 3>{0, 0, 0})) << "above the clip rectangle";
  EXPECT_EQ(pixel(shown, 9, 6), (std::array<int, 3>{0, 0, 0})) << "right of it";
  EXPECT_EQ(pixel(shown, 25, 15), (std::array<int, 3>{0, 0, 255}));
  EXPECT_EQ(pixel(shown, 35, 15), (std::array<int, 3>{0, 0, 0}));
}

TEST_F(Pictures, LeaveOutTheirHiddenCells) {
  PicturePass pass(presenter_->device(), presenter_->gui_context().render_pass);
  const std::size_t red = pass.add(plain(255, 0, 0));
  PictureCells cells;
  for (int row = 0; row < PictureCells::kSide; ++row) {
    for (int column = 0; column < 4; ++column) cells.hide(column, row);
  }
  for (int column = 0; column < PictureCells::kSide; ++column) cells.hide(column, 15);
  const auto gui = [&](VkCommandBuffer commands) {
    pass.record(commands, red,
                {.corners = rectangle({0, 0}, {64, 64}),
                 .clip_from = {},
                 .clip_to = {64, 64},
                 .target = {64, 64},
                 .cells = cells});
  };
  const Image8 shown = presenter_->capture({.gui = gui}, 64, 64);
  constexpr std::array<int, 3> kRed{255, 0, 0}, kNothing{0, 0, 0};
  EXPECT_EQ(pixel(shown, 8, 20), kNothing) << "the left quarter";
  EXPECT_EQ(pixel(shown, 24, 20), kRed);
  EXPECT_EQ(pixel(shown, 60, 3), kRed);
  EXPECT_EQ(pixel(shown, 40, 62), kNothing) << "the last row";
}

/// A square that leans backwards: its upper side is twice as far away and half as long.
TEST_F(Pictures, AreSeenInPerspective) {
  Image8 halves;  // red above, blue below
  halves.resize_discard(64, 64, 3);
  std::ranges::fill(halves.pixels.span(), std::uint8_t{0});
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) halves.row(y)[3 * x + (y < 32 ? 0 : 2)] = 255;
  }
  PicturePass pass(presenter_->device(), presenter_->gui_context().render_pass);
  const std::size_t place = pass.add(halves);
  const auto gui = [&](VkCommandBuffer commands) {
    pass.record(commands, place,
                {.corners = {{{2 * 10, 2 * 0, 2}, {2 * 30, 2 * 0, 2}, {0, 30, 1}, {40, 30, 1}}},
                 .clip_from = {},
                 .clip_to = {40, 30},
                 .target = {40, 30}});
  };
  const Image8 shown = presenter_->capture({.gui = gui}, 40, 30);
  EXPECT_EQ(pixel(shown, 2, 2), (std::array<int, 3>{0, 0, 0})) << "outside the upper side";
  EXPECT_EQ(pixel(shown, 20, 2), (std::array<int, 3>{255, 0, 0}));
  // The middle of the picture is a third of the way from the far side to the near one.
  EXPECT_EQ(pixel(shown, 20, 8), (std::array<int, 3>{255, 0, 0}));
  EXPECT_EQ(pixel(shown, 20, 12), (std::array<int, 3>{0, 0, 255}));
  EXPECT_EQ(pixel(shown, 2, 28), (std::array<int, 3>{0, 0, 255}));
}

TEST_F(Pictures, LetThroughWhatIsBehindThemByTheirOpacity) {
  PicturePass pass(presenter_->device(), presenter_->gui_context().render_pass);
  const std::size_t red = pass.add(plain(255, 0, 0)), blue = pass.add(plain(0, 0, 255));
  const auto gui = [&](VkCommandBuffer commands) {
    for (const std::size_t place : {red, blue}) {
      pass.record(commands, place,
                  {.corners = rectangle({0, 0}, {8, 8}),
                   .clip_from = {},
                   .clip_to = {8, 8},
                   .target = {8, 8},
                   .opacity = place == blue ? 0.25f : 1});
    }
  };
  const auto [r, g, b] = pixel(presenter_->capture({.gui = gui}, 8, 8), 4, 4);
  EXPECT_NEAR(r, 191, 1);
  EXPECT_EQ(g, 0);
  EXPECT_NEAR(b, 64, 1);
}

TEST_F(Pictures, AverageAllTexelsWhenReduced) {
  Image8 stripes;  // of two texels; the middle of each pixel is within a bright one
  stripes.resize_discard(64, 64, 3);
  std::ranges::fill(stripes.pixels.span(), std::uint8_t{0});
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) stripes.row(y)[3 * x] = x % 4 == 1 || x % 4 == 2 ? 255 : 0;
  }
  PicturePass pass(presenter_->device(), presenter_->gui_context().render_pass);
  const std::size_t place = pass.add(stripes);
  const auto gui = [&](VkCommandBuffer commands) {
    pass.record(commands, place,
                {.corners = rectangle({0, 0}, {16, 16}),
                 .clip_from = {},
                 .clip_to = {16, 16},
                 .target = {16, 16}});
  };
  const Image8 shown = presenter_->capture({.gui = gui}, 16, 16);
  for (int x = 1; x < 15; ++x) EXPECT_NEAR(pixel(shown, x, 8)[0], 128, 3) << x;
}

TEST_F(Pictures, ReuseTheSlotOfARemovedPicture) {
  PicturePass pass(presenter_->device(), presenter_->gui_context().render_pass);
  std::vector<std::size_t> places;
  while (!pass.full()) places.push_back(pass.add(plain(1, 2, 3)));
  EXPECT_EQ(places.size(), PicturePass::kMost);
  pass.remove(places[7]);
  const std::size_t place = pass.add(plain(0, 200, 0));
  EXPECT_TRUE(pass.full());
  const auto gui = [&](VkCommandBuffer commands) {
    pass.record(commands, place,
                {.corners = rectangle({0, 0}, {8, 8}),
                 .clip_from = {},
                 .clip_to = {8, 8},
                 .target = {8, 8}});
  };
  EXPECT_EQ(pixel(presenter_->capture({.gui = gui}, 8, 8), 4, 4), (std::array<int, 3>{0, 200, 0}));
}

}  // namespace
}  // namespace mote
