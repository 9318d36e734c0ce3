#include "train/run/time_budget.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/options.h"

namespace mote {
namespace {

constexpr double kFewestSteps = 0.5;  // a run ends if fewer than these are possible

[[noreturn]] void refuse(const std::string& text, const std::string& where) {
  throw UsageError("'" + text + "' is not a time of at least a second", where,
                   "write it as 90s, 5m or 1h30m");
}

double unit_seconds(char unit) {
  switch (unit) {
    case 'h':
      return 3600;
    case 'm':
      return 60;
    case 's':
      return 1;
    default:
      return 0;
  }
}

}  // namespace

double parse_duration(const std::string& text, const std::string& where) {
  double seconds = 0;
  const char *at = text.data(), *const end = at + text.size();
  double last_unit = 1e9;  // units come in descending order
  while (at != end) {
    double number = 0;
    const auto [stop, fault] = std::from_chars(at, end, number, std::chars_format::fixed);
    if (fault != std::errc() || !(number >= 0)) refuse(text, where);
    const double unit = stop == end ? 1 : unit_seconds(*stop);
    if (unit == 0 || unit >= last_unit) refuse(text, where);
    seconds += number * unit;
    last_unit = unit;
    at = stop == end ? end : stop + 1;
  }
  if (!(seconds >= 1 && seconds < 1e9)) refuse(text, where);
  return seconds;
}

double TimeBudget::advanced(double fraction, double step_s, double spent_s) {
  // The mean of the first steps, then an exponential mean, so that one slow step has little effect.
  constexpr double kNewest = 0.05;
  ++measured_;
  pace_s_ += (step_s - pace_s_) * std::max(kNewest, 1 / static_cast<double>(measured_));
  const double steps_more = steps_in_rest(spent_s);
  if (!(steps_more >= kFewestSteps)) return 1;
  return std::min(fraction + (1 - fraction) / (steps_more + 1), 1.0);
}

double TimeBudget::fraction_at(double spent_s) const {
  return steps_in_rest(spent_s) >= kFewestSteps ? spent_s / budget_s_ : 1;
}

double TimeBudget::steps_in_rest(double spent_s) const {
  return (budget_s_ - spent_s) / std::max(pace_s_, 1e-9);
}

std::uint64_t TimeBudget::steps_left(double spent_s) const {
  return static_cast<std::uint64_t>(std::clamp(std::round(steps_in_rest(spent_s)), 1.0, 1e12));
}

void TimeBudget::save(ByteSink& sink) const {
  sink.put(pace_s_);
  sink.put(measured_);
}

void TimeBudget::restore(ByteSource& source) {
  pace_s_ = source.get<double>();
  measured_ = source.get<std::uint64_t>();
}

}  // namespace mote
