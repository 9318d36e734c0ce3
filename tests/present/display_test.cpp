// The display pass against its double-precision reference, option by option.
#include "display_reference.h"
#include "support/present_fixture.h"

#include <cmath>

namespace mote {
namespace {

using namespace present;

class Display : public PresentTest {
 protected:
  static constexpr int kWidth = 61, kHeight = 43;  // of the target

  /// Half floats and rounding may change a value by one level.
  void expect_as_reference(const DisplayScene& scene) {
    expect_as_reference(scene, {.alpha = scene.alpha});
  }
  void expect_as_reference(const DisplayScene& scene, const ImageUpload& upload) {
    presenter_->set_image(ImageSlot::first, *scene.first, upload);
    if (scene.second != nullptr) presenter_->set_image(ImageSlot::second, *scene.second);
    const Image8 shown = presenter_->capture(
        {.view = scene.view, .display = scene.options, .time_s = scene.time_s}, kWidth, kHeight);
    double worst = 0, sum = 0;
    const Rectangle& view = scene.view;
    for (int y = std::max(view.y, 0); y < std::min(view.y + view.height, kHeight); ++y) {
      for (int x = std::max(view.x, 0); x < std::min(view.x + view.width, kWidth); ++x) {
        const auto expected = displayed(scene, x, y);
        for (std::size_t c = 0; c < 3; ++c) {
          const double found = shown.row(y)[3 * static_cast<std::size_t>(x) + c];
          worst = std::max(worst, std::abs(found - expected[c]));
          sum += expected[c];
        }
      }
    }
    EXPECT_LE(worst, 1.0);
    EXPECT_GT(sum, 0) << "the reference is black";
  }

  const Image picture_ = random_picture(kWidth, kHeight, 3, 1);
  const Image small_ = random_picture(23, 17, 3, 2);
  const Image alpha_ = random_picture(kWidth, kHeight, 1, 3);
  const Rectangle all_{0, 0, kWidth, kHeight};
};

TEST_F(Display, IsTheIdentityByDefault) {
  for (const TexelFormat format : {TexelFormat::color8, TexelFormat::color16}) {
    presenter_->set_image(ImageSlot::first, picture_, {.format = format});
    const Image8 shown = presenter_->capture({.view = all_}, kWidth, kHeight);
    ASSERT_EQ(shown.pixels.size(), picture_.pixels.size());
    int worst = 0;
    for (std::size_t i = 0; i < shown.pixels.size(); ++i) {
      // Rounded as in a PNG.
      const int expected = static_cast<int>(picture_.pixels[i] * 255.0f + 0.5f);
      worst = std::max(worst, std::abs(shown.pixels[i] - expected));
    }
    EXPECT_LE(worst, format == TexelFormat::color8 ? 0 : 1);
  }
}

TEST_F(Display, IsTheIdentityInAPartOfTheTargetUpToItsBorder) {
  presenter_->set_image(ImageSlot::first, small_, {.format = TexelFormat::color8});
  for (const auto& [x, y] : {std::pair(0, 0), std::pair(11, 7), std::pair(50, 30)}) {
    const Image8 shown =
        presenter_->capture({.view = {x, y, 23, 17}, .clear_color = {0, 1, 0}}, kWidth, kHeight);
    for (int row = 0; row < kHeight; ++row) {
      for (int column = 0; column < kWidth; ++column) {
        const int i = column - x, j = row - y;
        const bool inside = i >= 0 && i < 23 && j >= 0 && j < 17;
        const std::uint8_t* pixel = shown.row(row) + 3 * column;
        for (int c = 0; c < 3; ++c) {
          const float value = inside ? small_.row(j)[3 * i + c] : static_cast<float>(c == 1);
          ASSERT_EQ(pixel[c], static_cast<int>(value * 255.0f + 0.5f)) << column << ' ' << row;
        }
      }
    }
  }
}

TEST_F(Display, ScalesLinearLightByExposure) {
  for (const float ev : {-2.0f, 1.5f}) {
    expect_as_reference({.first = &picture_, .view = all_, .options = {.exposure_ev = ev}});
  }
}

TEST_F(Display, DrawsEachToneCurve) {
  for (const ToneCurve tone : {ToneCurve::filmic, ToneCurve::neutral}) {
    for (const float ev : {0.0f, 2.0f}) {
      expect_as_reference(
          {.first = &picture_, .view = all_, .options = {.exposure_ev = ev, .tone = tone}});
    }
  }
}

TEST_F(Display, EncodesLinearLight) {
  expect_as_reference({.first = &picture_, .view = all_, .options = {.is_linear = true}});
}

TEST_F(Display, PutsABackdropBehindAlpha) {
  for (const Backdrop backdrop : {Backdrop::color, Backdrop::checker}) {
    expect_as_reference({.first = &picture_,
                         .alpha = &alpha_,
                         .view = all_,
                         .options = {.backdrop = backdrop,
                                     .rendered_background = {0.1f, 0, 0.2f},
                                     .backdrop_color = {0.2f, 0.9f, 0.4f},
                                     .checker_px = 7}});
  }
}

TEST_F(Display, EnlargesWithEachFilter) {
  for (const Upscale upscale : {Upscale::nearest, Upscale::smooth, Upscale::sharp}) {
    expect_as_reference({.first = &small_, .view = all_, .options = {.upscale = upscale}});
  }
}

TEST_F(Display, EnlargesEquallyIfTheSizeIsKnownInAdvance) {
  const Image row = random_picture(5, 1, 3, 8), column = random_picture(1, 7, 3, 9);
  const Image wide = random_picture(kWidth, 9, 3, 10);
  for (const Image* image : {&small_, &row, &column, &wide, &picture_}) {
    for (const Upscale upscale : {Upscale::nearest, Upscale::smooth, Upscale::sharp}) {
      const DisplayScene scene{.first = image, .view = all_, .options = {.upscale = upscale}};
      expect_as_reference(scene, {.format = TexelFormat::color8,
                                  .view_width = kWidth,
                                  .view_height = kHeight,
                                  .upscale = upscale});
    }
  }
}

TEST_F(Display, DoesNotRingAtEdges) {
  Image step;
  step.resize_discard(8, 1, 3);
  for (int i = 0; i < 24; ++i) step.pixels[static_cast<std::size_t>(i)] = i < 12 ? 0.25f : 0.75f;
  presenter_->set_image(ImageSlot::first, step);
  const Image8 shown = presenter_->capture({.view = all_}, kWidth, kHeight);
  for (const std::uint8_t value : shown.pixels.span()) {
    EXPECT_GE(value, 64);
    EXPECT_LE(value, 191);
  }
}

TEST_F(Display, KeepsToItsViewAndClearsTheRest) {
  const Rectangle view{10, 5, 23, 17};
  expect_as_reference({.first = &small_, .view = view, .options = {}});
  const Image8 shown = presenter_->capture(
      {.view = view, .display = {}, .overlay = {}, .clear_color = {0.2f, 0.4f, 0.6f}}, kWidth,
      kHeight);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const bool inside = x >= 10 && x < 33 && y >= 5 && y < 22;
      const std::uint8_t* pixel = shown.row(y) + 3 * x;
      if (!inside) {
        ASSERT_TRUE(pixel[0] == 51 && pixel[1] == 102 && pixel[2] == 153) << x << ", " << y;
      }
    }
  }
}

TEST_F(Display, ClipsAViewThatReachesBeyondTheTarget) {
  expect_as_reference({.first = &small_, .view = {-13, -7, 60, 90}, .options = {}});
  const Image8 shown =
      presenter_->capture({.view = {kWidth, 0, 10, 10}, .clear_color = {1, 0, 0}}, kWidth, kHeight);
  EXPECT_EQ(shown.pixels[0], 255);
}

TEST_F(Display, ComparesTwoImages) {
  const Image other = random_picture(31, 20, 3, 5);
  for (const Compare compare : {Compare::split, Compare::difference}) {
    expect_as_reference({.first = &picture_,
                         .second = &other,
                         .view = all_,
                         .options = {.exposure_ev = 0.5f, .compare = compare, .split = 0.3f}});
  }
  for (const double time_s : {0.1, 0.3, 0.5}) {
    expect_as_reference({.first = &picture_,
                         .second = &other,
                         .view = all_,
                         .options = {.compare = Compare::flicker, .flicker_interval_s = 0.2},
                         .time_s = time_s});
  }
}

TEST_F(Display, ShowsTheErrorByTheChosenMetric) {
  const Image other = random_picture(31, 20, 3, 5);
  for (const ErrorMetric metric :
       {ErrorMetric::absolute, ErrorMetric::squared, ErrorMetric::relative, ErrorMetric::signed_}) {
    for (const float gain : {0.3f, 1.0f}) {
      expect_as_reference(
          {.first = &picture_,
           .second = &other,
           .view = all_,
           .options = {.compare = Compare::difference, .metric = metric, .difference_gain = gain}});
    }
  }
}

TEST_F(Display, ShowsTheFirstImageAloneWithoutASecond) {
  expect_as_reference(
      {.first = &picture_, .view = all_, .options = {.compare = Compare::difference}});
}

}  // namespace
}  // namespace mote
