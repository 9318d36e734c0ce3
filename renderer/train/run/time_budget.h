#pragma once

#include <cstdint>
#include <string>

#include "core/byte_stream.h"

namespace mote {

/// Seconds of "90s", "5m", "1h30m", "1.5h" or plain seconds. Throws UsageError, naming `where`, for
/// anything else and for less than a second.
double parse_duration(const std::string& text, const std::string& where);

/// Fits a run into a time. The fraction of the schedule grows with each step by an equal share of
/// what is left, over the steps that the time left allows at the present pace: where steps get
/// slower, each one carries the schedule further. It never falls, and is 1 when the time is up.
class TimeBudget {
 public:
  explicit TimeBudget(double budget_s) : budget_s_(budget_s) {}

  /// The fraction after a step that took `step_s`, `spent_s` after the start, where it was
  /// `fraction` before.
  double advanced(double fraction, double step_s, double spent_s);
  /// Steps that the time left allows, `spent_s` after the start; at least 1.
  std::uint64_t steps_left(double spent_s) const;

  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  double budget_s_;
  double pace_s_ = 0;  // of a step, smoothed over the last ones
  std::uint64_t measured_ = 0;
};

}  // namespace mote
