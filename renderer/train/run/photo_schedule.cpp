#include "train/run/photo_schedule.h"

#include <algorithm>
#include <cmath>

namespace mote {

double log_linear(double from, double to, double fraction) {
  const double t = std::clamp(fraction, 0.0, 1.0);
  if (from <= 0 || to <= 0) return from + (to - from) * t;
  return std::exp(std::log(from) * (1 - t) + std::log(to) * t);
}

int resolution_level_at(const LoopOptions& options, const RunPosition& position) {
  if (position.fraction >= options.resolution_until) return 0;
  const double left = 1 - position.fraction / options.resolution_until;
  return static_cast<int>(std::ceil(left * options.resolution_schedule));
}

}  // namespace mote
