#include "train/run/frame_errors.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.h"

namespace mote {

std::vector<float> FrameErrors::weights() const {
  double sum = 0, known = 0;
  for (const float error : errors_) {
    sum += static_cast<double>(error);
    known += error > 0 ? 1 : 0;
  }
  std::vector<float> weights(errors_.size(), 1.0f);
  if (!(sum > 0) || !std::isfinite(sum)) return weights;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(errors_[i] > 0)) continue;
    const double relative = static_cast<double>(errors_[i]) * known / sum;
    weights[i] = std::clamp(static_cast<float>(relative), kLeast, kMost);
  }
  return weights;
}

void FrameErrors::restore(ByteSource& source) {
  std::vector<float> errors = get_all<float>(source);
  if (errors.size() != errors_.size()) {
    throw Error("has errors of another number of photographs", "the saved training state",
                "resume with the original dataset of the run");
  }
  errors_ = std::move(errors);
}

}  // namespace mote
