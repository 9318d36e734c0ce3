// Small pictures in a GUI.
#include "present/picture_pass.h"

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
                {.from = {2, 2},
                 .to = {10, 10},
                 .clip_from = {-5, 4},
                 .clip_to = {8, 99},
                 .target = {40, 30}});
    pass.record(commands, blue,
                {.from = {20, 10}, .to = {30, 20}, .clip_to = {40, 30}, .target = {40, 30}});
    pass.record(commands, blue,
                {.from = {0, 0},
                 .to = {40, 30},
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

TEST_F(Pictures, ReuseTheSlotOfARemovedPicture) {
  PicturePass pass(presenter_->device(), presenter_->gui_context().render_pass);
  std::vector<std::size_t> places;
  while (!pass.full()) places.push_back(pass.add(plain(1, 2, 3)));
  EXPECT_EQ(places.size(), PicturePass::kMost);
  pass.remove(places[7]);
  const std::size_t place = pass.add(plain(0, 200, 0));
  EXPECT_TRUE(pass.full());
  const auto gui = [&](VkCommandBuffer commands) {
    pass.record(commands, place, {.to = {8, 8}, .clip_to = {8, 8}, .target = {8, 8}});
  };
  EXPECT_EQ(pixel(presenter_->capture({.gui = gui}, 8, 8), 4, 4), (std::array<int, 3>{0, 200, 0}));
}

}  // namespace
}  // namespace mote
