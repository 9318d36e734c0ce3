#pragma once

namespace mote {

/// Time range of a scene, from 0 to end_s; it ends at 0 for a scene that stands still. When it
/// loops, it restarts after period_s, so that the last frame is shown as long as any other.
struct TimeRange {
  double end_s = 0, period_s = 0;
  bool operator==(const TimeRange&) const = default;
};

/// The time within the range after looping for `time_s`.
double repeated(double time_s, const TimeRange& range);

}  // namespace mote
