#include "app/viewer/workers/resolution_controller.h"

#include <algorithm>
#include <cmath>

namespace mote {
namespace {

constexpr double kNewest = 0.4;    // weight of the newest measurement
constexpr double kHeadroom = 0.9;  // planned fraction of the target
// Frame times within these fractions of the target change nothing.
constexpr double kTooSlow = 1.05, kTooFast = 0.7;
constexpr double kStep = 1.0 / 16;

}  // namespace

void ResolutionController::measured(double megapixels, double ms) {
  if (!(megapixels > 0) || !(ms > 0)) return;
  const double now = ms / megapixels;
  ms_per_megapixel_ =
      ms_per_megapixel_ == 0 ? now : ms_per_megapixel_ + kNewest * (now - ms_per_megapixel_);
}

double ResolutionController::scale_within(double ms, double megapixels) const {
  const double expected = full_ms(megapixels);
  return expected > 0 ? std::clamp(std::sqrt(ms / expected), least_, 1.0) : least_;
}

double ResolutionController::scale_for(double megapixels) {
  if (ms_per_megapixel_ == 0) return scale_;
  const double expected = ms_per_megapixel_ * megapixels * scale_ * scale_;
  if (expected <= kTooSlow * target_ms_ && expected >= kTooFast * target_ms_) return scale_;
  const double ideal = std::sqrt(kHeadroom * target_ms_ / (ms_per_megapixel_ * megapixels));
  // Rounds down, so that a step does not exceed the target. Grows by one step per frame, since the
  // cost of a larger frame is only an estimate.
  const double wanted = std::floor(ideal / kStep) * kStep;
  scale_ = std::clamp(wanted > scale_ ? scale_ + kStep : wanted, least_, 1.0);
  return scale_;
}

}  // namespace mote
