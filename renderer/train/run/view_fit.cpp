#include "train/run/view_fit.h"

#include <algorithm>
#include <utility>

#include "cameras/camera_columns.h"
#include "io/datasets/photo_decoding.h"
#include "io/datasets/photo_store.h"
#include "scene/photo_light.h"
#include "train/run/color_fit.h"
#include "train/run/photo_schedule.h"
#include "train/run/pose_corrections.h"

namespace mote {

namespace {

constexpr int kRounds = 3, kStepsPerRound = 16;
constexpr double kFirstRate = 2e-3, kLastRate = 5e-5;  // radians, and scene extents
/// Poses are fitted at reduced size if a half has more pixels than this.
constexpr int kEnoughPixels = 300'000;
constexpr int kLeastSide_px = 32;

/// A half of a photograph and its view.
struct Half {
  View view;
  PhotoPixels photo;
};

Half left_half(const View& view, const PhotoPixels& photo) {
  const int width = middle_column(view.camera.width);
  Half half{view,
            {.color = columns_of(photo.color, 0, width),
             .mask = columns_of(photo.mask, 0, width),
             .light = columns_of(photo.light, 0, width)}};
  half.view.camera = first_columns(view.camera, width);
  return half;
}

Half reduced(Half half) {
  Camera& camera = half.view.camera;
  while (camera.width * camera.height > kEnoughPixels &&
         std::min(camera.width, camera.height) >= 2 * kLeastSide_px) {
    half.photo = halved(half.photo);
    camera = camera_at_level(camera, 1);
  }
  return half;
}

Exposure exposure_of(const ViewFitting& fitting, const View& view, const PhotoPixels& photo) {
  if (!fitting.exposure) return kNeutralExposure;
  Frame frame;
  fitting.render(view, frame);
  const PhotoFloats truth = photo_floats(photo, fitting.background);
  return fitted_exposure(frame.rgb, truth.color, truth.mask);
}

/// Gradient descent on the pose. Each round fits the exposure again.
class PoseFit {
 public:
  PoseFit(const ViewFitting& fitting, Half half) : fitting_(fitting), half_(std::move(half)) {}

  /// Returns `whole` with the best pose.
  Camera run(const Camera& whole) {
    for (int round = 0; round < kRounds; ++round) {
      exposure_ = exposure_of(fitting_, corrected(half_.view), half_.photo);
      // Losses with different exposures are not comparable.
      least_loss_ = std::numeric_limits<double>::infinity();
      const PoseCorrections before = corrections_;
      for (int i = 0; i < kStepsPerRound; ++i) take_step(round * kStepsPerRound + i);
      corrections_ = best_.value_or(before);
    }
    return with_pose_of_columns(whole, middle_column(whole.width),
                                corrections_.corrected(0, half_.view.camera));
  }

 private:
  View corrected(View view) const {
    view.camera = corrections_.corrected(0, view.camera);
    return view;
  }

  void take_step(int number) {
    LearnRequest request;
    request.view = corrected(half_.view);
    request.photo = &half_.photo;
    request.background = fitting_.background;
    request.exposure = exposure_;
    request.pose_gradient = true;
    const PhotoStepResult result = fitting_.differentiate(request);
    if (result.is_measured && result.loss < least_loss_) {
      least_loss_ = result.loss;
      best_ = corrections_;
    }
    const double share = static_cast<double>(number) / (kRounds * kStepsPerRound);
    corrections_.update(0, result.d_pose_rotation, result.d_pose_translation,
                        log_linear(kFirstRate, kLastRate, share), fitting_.extent);
  }

  const ViewFitting& fitting_;
  Half half_;
  PoseCorrections corrections_{1};
  std::optional<PoseCorrections> best_;
  Exposure exposure_ = kNeutralExposure;
  double least_loss_ = 0;
};

}  // namespace

std::string ViewFitting::text() const {
  if (exposure && pose) return "exposure and pose";
  return exposure ? "exposure" : "pose";
}

FittedView fit_view(const ViewFitting& fitting, const View& view, const PhotoPixels& photo) {
  const Half half = left_half(view, photo);
  FittedView fitted{view};
  if (half.view.camera.width == 0) return fitted;
  if (fitting.pose) {
    fitted.view.camera = PoseFit(fitting, reduced(left_half(view, photo))).run(view.camera);
  }
  View of_half = fitted.view;
  of_half.camera = first_columns(fitted.view.camera, half.view.camera.width);
  fitted.exposure = exposure_of(fitting, of_half, half.photo);
  return fitted;
}

PhotoFloats photo_floats(const PhotoPixels& photo, const std::array<float, 3>& background) {
  if (photo.is_linear()) return photo_floats(displayed(photo), background);
  const Image8& stored = photo.color;
  PhotoFloats floats;
  floats.color.resize_discard(stored.width, stored.height, 3);
  const auto channels = static_cast<std::size_t>(stored.channels);
  const std::size_t pixels = stored.pixels.size() / channels;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint8_t* from = stored.pixels.data() + i * channels;
    const float alpha = channels == 4 ? static_cast<float>(from[3]) / 255 : 1;
    for (std::size_t c = 0; c < 3; ++c) {
      floats.color.pixels[3 * i + c] =
          alpha * static_cast<float>(from[c]) / 255 + (1 - alpha) * background[c];
    }
  }
  if (photo.mask.pixels.empty()) return floats;
  floats.mask.resize_discard(photo.mask.width, photo.mask.height, 1);
  std::transform(photo.mask.pixels.span().begin(), photo.mask.pixels.span().end(),
                 floats.mask.pixels.data(),
                 [](std::uint8_t value) { return static_cast<float>(value) / 255; });
  return floats;
}

}  // namespace mote
