#pragma once

#include <cstdint>
#include <string>

#include "core/byte_stream.h"

namespace mote {

/// Parses a duration in seconds from "90s", "5m", "1h30m", "1.5h" or plain seconds. Throws
/// UsageError, which names `where`, for anything else and for less than a second.
double parse_duration(const std::string& text, const std::string& where);

/// Fits a run into a time. Each step advances the fraction of the schedule by an equal share of the
/// rest, over the number of steps that the remaining time allows at the current pace. If steps get
/// slower, each one advances the schedule further. The fraction never decreases and is 1 when the
/// time is up.
class TimeBudget {
 public:
  explicit TimeBudget(double budget_s) : budget_s_(budget_s) {}

  /// The fraction after a step that took `step_s` and ended `spent_s` after the start. `fraction`
  /// is the value before it.
  double advanced(double fraction, double step_s, double spent_s);
  /// Number of steps that the time left allows `spent_s` after the start; at least 1.
  std::uint64_t steps_left(double spent_s) const;

  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  double budget_s_;
  double pace_s_ = 0;  // duration of a step, smoothed
  std::uint64_t measured_ = 0;
};

}  // namespace mote
