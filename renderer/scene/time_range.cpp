#include "scene/time_range.h"

#include <algorithm>
#include <cmath>

namespace mote {

double repeated(double time_s, const TimeRange& range) {
  if (!(range.period_s > 0)) return 0;
  constexpr double kRounding_s = 1e-9;
  const double wrapped = std::fmod(std::max(time_s, 0.0), range.period_s);
  return range.period_s - wrapped < kRounding_s ? 0 : std::min(wrapped, range.end_s);
}

}  // namespace mote
