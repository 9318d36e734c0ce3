#pragma once

namespace mote {

/// Time range of a scene, from 0 to end_s. end_s is 0 for a scene that stands still. A loop
/// restarts after period_s, so that the last frame is shown as long as any other.
struct TimeRange {
  double end_s = 0, period_s = 0;
  bool operator==(const TimeRange&) const = default;
};

/// The times of a scene of splats that move; it begins at 0.
struct SceneTimes {
  double duration_s = 0;
  double frames_per_second = 0;  // of the photographs or videos; 0: unknown

  bool operator==(const SceneTimes&) const = default;
};

TimeRange time_range(const SceneTimes& times);

/// Rate of the frames of the range, by how long the last one is shown; 0: unknown.
double frames_per_second(const TimeRange& range);

/// The time within the range that a loop shows at `time_s`.
double repeated(double time_s, const TimeRange& range);

}  // namespace mote
