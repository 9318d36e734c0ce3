#pragma once

#include <cstdint>
#include <string>

#include "core/byte_stream.h"

namespace mote {

/// Parses a duration in seconds from "90s", "5m", "1h30m", "1.5h" or plain seconds. Throws
/// UsageError, which names `where`, for other texts and for less than a second.
double parse_duration(const std::string& text, const std::string& where);

/// Fits a run into a given time. The number of steps left is estimated from the remaining time and
/// the current pace. Each step advances the schedule by the remaining fraction divided by that
/// number, so slower steps advance it further. The fraction never decreases and is 1 when the time
/// is up.
class TimeBudget {
 public:
  explicit TimeBudget(double budget_s) : budget_s_(budget_s) {}

  /// The fraction after a step that took `step_s` and ended `spent_s` after the start. `fraction`
  /// is the value before it.
  double advanced(double fraction, double step_s, double spent_s);
  /// The fraction of a run that ended `spent_s` after the start, perhaps under a smaller budget: 1
  /// if no step is possible in the remaining time.
  double fraction_at(double spent_s) const;
  /// Number of steps that are possible in the remaining time, `spent_s` after the start; at
  /// least 1.
  std::uint64_t steps_left(double spent_s) const;

  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  double steps_in_rest(double spent_s) const;

  double budget_s_;
  double pace_s_ = 0;  // duration of a step, smoothed
  std::uint64_t measured_ = 0;
};

}  // namespace mote
