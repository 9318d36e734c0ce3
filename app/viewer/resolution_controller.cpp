#include "app/viewer/resolution_controller.h"

#include <algorithm>
#include <cmath>

namespace mote {
namespace {

constexpr double kNewest = 0.4;    // weight of the newest measurement
constexpr double kHeadroom = 0.9;  // of the target that is planned for
// A frame within these fractions of the target changes nothing.
constexpr double kTooSlow = 1.05, kTooFast = 0.7;
constexpr double kStep = 1.0 / 16;

}  // namespace

void ResolutionController::measured(double megapixels, double ms) {
  if (!(megapixels > 0) || !(ms > 0)) return;
  const double now = ms / megapixels;
  ms_per_megapixel_ =
      ms_per_megapixel_ == 0 ? now : ms_per_megapixel_ + kNewest * (now - ms_per_megapixel_);
}

double ResolutionController::scale_for(double megapixels) {
  if (ms_per_megapixel_ == 0) return scale_;
  const double expected = ms_per_megapixel_ * megapixels * scale_ * scale_;
  if (expected <= kTooSlow * target_ms_ && expected >= kTooFast * target_ms_) return scale_;
  const double ideal = std::sqrt(kHeadroom * target_ms_ / (ms_per_megapixel_ * megapixels));
  // Rounded down, so that a step never goes over the target; upwards by one step a frame, since
  // what a larger frame costs is only guessed.
  const double wanted = std::floor(ideal / kStep) * kStep;
  scale_ = std::clamp(wanted > scale_ ? scale_ + kStep : wanted, least_, 1.0);
  return scale_;
}

}  // namespace mote
