// The layer around the view, which CPU devices keep as an image.
#include <algorithm>

#include "support/present_fixture.h"

namespace mote {
namespace {

using namespace present;

constexpr int kWidth = 40, kHeight = 20;

class LayerAroundTheView : public PresentTest {
 protected:
  void SetUp() override {
    PresentTest::SetUp();
    if (presenter_ == nullptr) return;
    if (!presenter_->device().is_processor()) GTEST_SKIP() << "the device is no processor";
    show_view(20);
  }

  /// A white picture for a view of this width, with something left of it.
  void show_view(int columns) {
    Image image;
    image.resize_discard(columns, kHeight, 3);
    std::ranges::fill(image.pixels.span(), 1.0f);
    presenter_->set_image(ImageSlot::first, image, {.format = TexelFormat::color8});
    request_.view = {kWidth - columns, 0, columns, kHeight};
  }

  /// A rectangle of this colour at the left, over green.
  void stand(float red, std::uint64_t version) {
    request_.clear_color = {0, 1, 0};
    request_.around = [this, red](VkCommandBuffer commands) {
      ++drawn_;
      VkClearAttachment color{};
      color.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
      color.clearValue.color = {{red, 0, 0, 1}};
      const VkClearRect place{{{0, 0}, {10, kHeight}}, 0, 1};
      vkCmdClearAttachments(commands, 1, &color, 1, &place);
    };
    request_.around_version = version;
  }

  std::array<int, 3> pixel(int x) {
    const Image8 shown = presenter_->capture(request_, kWidth, kHeight);
    const std::uint8_t* p = shown.row(kHeight / 2) + 3 * x;
    return {p[0], p[1], p[2]};
  }

  DrawRequest request_;
  int drawn_ = 0;
};

constexpr std::array<int, 3> kRed{255, 0, 0}, kGreen{0, 255, 0}, kWhite{255, 255, 255};

TEST_F(LayerAroundTheView, IsBesideTheViewAndOverTheWindowsColor) {
  stand(1, 1);
  EXPECT_EQ(pixel(5), kRed);
  EXPECT_EQ(pixel(15), kGreen);
  EXPECT_EQ(pixel(30), kWhite);
}

TEST_F(LayerAroundTheView, IsDrawnAgainOnlyIfItLooksDifferent) {
  stand(1, 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(pixel(5), kRed);
  EXPECT_EQ(drawn_, 1);
  stand(0, 2);
  EXPECT_EQ(pixel(5), (std::array<int, 3>{0, 0, 0}));
  EXPECT_EQ(drawn_, 2);
  request_.clear_color = {0, 0, 1};
  EXPECT_EQ(pixel(15), (std::array<int, 3>{0, 0, 255}));
  EXPECT_EQ(drawn_, 3);
}

TEST_F(LayerAroundTheView, IsDrawnAgainForAnotherSizeOfTheWindow) {
  stand(1, 1);
  EXPECT_EQ(pixel(5), kRed);
  presenter_->resize(kWidth + 10, kHeight);
  EXPECT_TRUE(presenter_->draw(request_));
  EXPECT_EQ(drawn_, 2);
  presenter_->resize(kWidth, kHeight);
  EXPECT_TRUE(presenter_->draw(request_));
  EXPECT_EQ(pixel(5), kRed);
  EXPECT_EQ(pixel(15), kGreen);
}

TEST_F(LayerAroundTheView, IsDrawnWithTheViewIfTheViewIsNotACopy) {
  stand(1, 1);
  request_.display.exposure_ev = -1;
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(pixel(5), kRed);
    EXPECT_EQ(pixel(15), kGreen);
    EXPECT_EQ(drawn_, 2 * i);
  }
}

TEST_F(LayerAroundTheView, IsInvisibleIfTheViewFillsTheWindow) {
  stand(1, 1);
  show_view(kWidth);
  EXPECT_EQ(pixel(5), kWhite);
  EXPECT_EQ(drawn_, 0);
}

}  // namespace
}  // namespace mote
