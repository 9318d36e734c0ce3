#include "train/run/flicker.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mote {
namespace {

bool is_same_view(const Camera& a, const Camera& b) {
  return a.width == b.width && a.height == b.height && a.focal_px == b.focal_px &&
         a.center_px == b.center_px && a.cam_from_world == b.cam_from_world &&
         a.translation == b.translation;
}

Image error_of(const RenderedMoment& moment) {
  Image error;
  error.resize_discard(moment.truth.width, moment.truth.height, 3);
  for (std::size_t i = 0; i < error.pixels.size(); ++i) {
    error.pixels[i] = std::clamp(moment.rendered.pixels[i], 0.0f, 1.0f) - moment.truth.pixels[i];
  }
  return error;
}

Image weights_of(const RenderedMoment& moment) {
  Image weights;
  weights.resize_discard(moment.moving.width, moment.moving.height, 1);
  for (std::size_t i = 0; i < weights.pixels.size(); ++i) {
    weights.pixels[i] = moment.mask.pixels.empty() ? 1 : moment.mask.pixels[i];
  }
  return weights;
}

/// Weights of the pixels that stand still.
Image still_weights(const RenderedMoment& moment, const Image& all) {
  Image weights;
  weights.resize_discard(all.width, all.height, 1);
  for (std::size_t i = 0; i < weights.pixels.size(); ++i) {
    weights.pixels[i] = (1 - moment.moving.pixels[i]) * all.pixels[i];
  }
  return weights;
}

}  // namespace

bool Flicker::follows(const RenderedMoment& moment) const {
  constexpr double kLongestGap = 1.5;  // frames
  if (last_error_.pixels.empty() || !(moment.frame_s > 0)) return false;
  const double gap_s = moment.photograph.time_s - last_.time_s;
  return gap_s > 0 && gap_s < kLongestGap * moment.frame_s &&
         moment.photograph.camera_group == last_.camera_group &&
         is_same_view(moment.photograph.camera, last_.camera);
}

void Flicker::add(const RenderedMoment& moment) {
  if (moment.moving.pixels.empty()) {
    last_error_ = {};
    return;
  }
  Image error = error_of(moment), all = weights_of(moment), still = still_weights(moment, all);
  if (follows(moment)) {
    const auto of_both = [](const Image& a, const Image& b, std::size_t i) {
      return static_cast<double>(a.pixels[i]) * static_cast<double>(b.pixels[i]);
    };
    for (std::size_t i = 0; i < all.pixels.size(); ++i) {
      double squares = 0;
      for (std::size_t c = 3 * i; c < 3 * i + 3; ++c) {
        const double change =
            static_cast<double>(error.pixels[c]) - static_cast<double>(last_error_.pixels[c]);
        squares += change * change;
      }
      const double of_still = of_both(still, last_still_, i);
      still_.add(squares, of_still);
      moving_.add(squares, of_both(all, last_all_, i) - of_still);
    }
  }
  last_ = moment.photograph;
  last_error_ = std::move(error);
  last_all_ = std::move(all);
  last_still_ = std::move(still);
}

void Flicker::Sum::add(double pixel_squares, double pixel_weight) {
  squares += pixel_weight * pixel_squares;
  weight += 3 * pixel_weight;
}

std::optional<double> Flicker::Sum::psnr_db() const {
  constexpr double kSame_db = 100;
  if (weight == 0) return {};
  return std::min(-10 * std::log10(squares / weight), kSame_db);
}

}  // namespace mote
