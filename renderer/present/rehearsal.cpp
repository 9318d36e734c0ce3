#include "present/rehearsal.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/log.h"
#include "present/presenter.h"

namespace mote::present {
namespace {

// Not powers of two: drivers may compile other code for those.
constexpr int kWidth = 61, kHeight = 43;

Image grey(int width, int height, int channels) {
  Image image;
  image.resize_discard(width, height, channels);
  std::ranges::fill(image.pixels.span(), 0.5f);
  return image;
}

Image8 grey8(int width, int height) {
  Image8 image;
  image.resize_discard(width, height, 3);
  std::ranges::fill(image.pixels.span(), std::uint8_t{128});
  return image;
}

/// The size of the view, or a smaller one that is enlarged to it.
std::pair<int, int> size_for(std::int32_t upscale) {
  const bool same = upscale == static_cast<std::int32_t>(Upscale::nearest);
  return same ? std::pair(kWidth, kHeight) : std::pair(kWidth / 2, kHeight / 2);
}

}  // namespace

Rehearsal::Rehearsal(int gpu, VkFormat format) : gpu_(gpu), format_(format) {}

Rehearsal::~Rehearsal() = default;

void Rehearsal::play(const DisplayVariant& variant) {
  if (given_up_) return;
  try {
    draw(variant);
  } catch (const Error& error) {
    given_up_ = true;
    log_detail("{}; display options take effect later when they are first used", error.what());
  }
}

void Rehearsal::draw(const DisplayVariant& variant) {
  if (presenter_ == nullptr) {
    presenter_ = std::make_unique<Presenter>(PresenterOptions{.gpu = std::to_string(gpu_),
                                                              .width = kWidth,
                                                              .height = kHeight,
                                                              .offscreen_format = format_});
  }
  const bool graded = variant[kGradedPlace] != 0;
  const auto [width, height] = size_for(variant[kFirstUpscalePlace]);
  const Image alpha = grey(width, height, 1);
  presenter_->set_image(ImageSlot::first, grey(width, height, 3),
                        {.alpha = variant[kBackdropPlace] != 0 ? &alpha : nullptr,
                         .format = graded ? TexelFormat::color16 : TexelFormat::color8});
  if (variant[kComparePlace] != 0) {
    const auto [second_width, second_height] = size_for(variant[kSecondUpscalePlace]);
    presenter_->set_image(ImageSlot::second, grey8(second_width, second_height));
  }
  DisplayOptions options;
  options.exposure_ev = graded ? 1 : 0;
  options.is_linear = variant[kIsLinearPlace] != 0;
  options.tone = static_cast<ToneCurve>(variant[kTonePlace]);
  options.backdrop = static_cast<Backdrop>(variant[kBackdropPlace]);
  options.compare = static_cast<Compare>(variant[kComparePlace]);
  options.upscale =
      static_cast<Upscale>(std::max(variant[kFirstUpscalePlace], variant[kSecondUpscalePlace]));
  const std::vector<OverlayStroke> line{{.from = {9, 9}, .to = {40, 30}, .width_px = 2}};
  presenter_->capture({.view = {0, 0, kWidth, kHeight}, .display = options, .overlay = line},
                      kWidth, kHeight);
}

}  // namespace mote::present
