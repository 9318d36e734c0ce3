#include "scene/time_range.h"

#include <algorithm>
#include <cmath>

namespace mote {

TimeRange time_range(const SceneTimes& times) {
  const double frame_s = times.frames_per_second > 0 ? 1 / times.frames_per_second : 0;
  return {.end_s = times.duration_s, .period_s = times.duration_s + frame_s};
}

double frames_per_second(const TimeRange& range) {
  const double frame_s = range.period_s - range.end_s;
  constexpr double kRounding = 1e-6;  // of the difference of two times
  return frame_s > 0 ? std::round(1 / frame_s / kRounding) * kRounding : 0;
}

double repeated(double time_s, const TimeRange& range) {
  if (!(range.period_s > 0)) return 0;
  // The end is the last moment, also where no rate says how long it is shown. Files round durations
  // to nine digits.
  constexpr double kRounding = 1e-8;
  if (time_s <= range.end_s * (1 + kRounding)) return std::clamp(time_s, 0.0, range.end_s);
  constexpr double kRounding_s = 1e-9;
  const double wrapped = std::fmod(std::max(time_s, 0.0), range.period_s);
  return range.period_s - wrapped < kRounding_s ? 0 : std::min(wrapped, range.end_s);
}

}  // namespace mote
