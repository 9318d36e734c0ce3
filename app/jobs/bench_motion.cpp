#include "app/jobs/bench_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/machine.h"
#include "core/progress.h"
#include "core/spelling.h"

namespace mote {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr double kPatient = std::numeric_limits<double>::infinity();
constexpr const char* kJump = "jump";

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

class MotionBench {
 public:
  MotionBench(const MotionPlan& plan, const std::function<void()>& before)
      : plan_(plan), before_(before), range_(plan.model.time_range()) {}
  ~MotionBench() { plan_.model.set_patience(kPatient); }
  MotionBench(const MotionBench&) = delete;
  MotionBench& operator=(const MotionBench&) = delete;

  MotionCase still() {
    MotionCase result{.name = "still"};
    settle(plan_.view.time_s);
    for (int i = 0; i < plan_.frames; ++i) measure(plan_.view.time_s, result);
    return result;
  }

  /// Frames are due at the plan's rate; those that are late skip time.
  MotionCase playing(double speed) {
    MotionCase result{.name = fmt::format("{:.3g}x", speed)};
    settle(plan_.view.time_s);
    plan_.model.set_patience(0);
    const auto start = SteadyClock::now();
    for (double due_s = 0; due_s < plan_.play_s;) {
      std::this_thread::sleep_until(start + std::chrono::duration_cast<SteadyClock::duration>(
                                                std::chrono::duration<double>(due_s)));
      measure(plan_.view.time_s + speed * due_s, result);
      const double next = std::ceil(seconds_since(start) * plan_.frames_per_second);
      due_s =
          std::max(next, std::round(due_s * plan_.frames_per_second) + 1) / plan_.frames_per_second;
    }
    return result;
  }

  MotionCase jumps() {
    MotionCase result{.name = kJump};
    for (int i = 1; i <= plan_.frames; ++i) {
      // Multiples of the golden ratio are spread evenly.
      const double place = std::fmod(i * 0.61803398875, 1.0);
      plan_.model.set_patience(kPatient);
      measure(place * range_.end_s, result);
    }
    return result;
  }

  /// Steps of a frame over boundaries of segments of several levels.
  MotionCase crossings() {
    MotionCase result{.name = "crossing"};
    for (int i = 1; i <= plan_.frames; ++i) {
      const double boundary_s = range_.end_s * i / (plan_.frames + 1.0);
      constexpr int kSegments = 1 << 6;
      const double crossed_s =
          std::round(boundary_s / range_.end_s * kSegments) / kSegments * range_.end_s;
      settle(std::max(crossed_s - 0.5 / plan_.frames_per_second, 0.0));
      plan_.model.set_patience(0);
      measure(std::min(crossed_s + 0.5 / plan_.frames_per_second, range_.end_s), result);
    }
    return result;
  }

 private:
  /// Shows a time completely, without measuring.
  void settle(double time_s) {
    plan_.model.set_patience(kPatient);
    MotionCase ignored;
    measure(time_s, ignored);
  }

  void measure(double time_s, MotionCase& result) {
    before_();
    View view = plan_.view;
    view.time_s = time_s;
    const auto start = SteadyClock::now();
    FrameStats stats = plan_.model.render(view, plan_.settings, frame_);
    result.frame_ms.push_back(1e3 * seconds_since(start));
    plan_.model.add_life_counts(stats);
    result.stats.push_back(stats);
  }

  const MotionPlan& plan_;
  const std::function<void()>& before_;
  TimeRange range_;
  Frame frame_;
};

/// Mean of a count over the frames of a case.
double mean_of(const MotionCase& one, std::uint64_t FrameStats::*count) {
  double sum = 0;
  for (const FrameStats& stats : one.stats) sum += static_cast<double>(stats.*count);
  return one.stats.empty() ? 0 : sum / static_cast<double>(one.stats.size());
}

bool has_counts(const MotionCase& one) {
  return !one.stats.empty() && one.stats.front().stored > 0;
}

/// Mean over the frames of a case.
template <class T>
double mean_of(const MotionCase& one, T StreamWork::*amount) {
  double sum = 0;
  for (const FrameStats& stats : one.stats) sum += static_cast<double>(stats.streaming.*amount);
  return one.stats.empty() ? 0 : sum / static_cast<double>(one.stats.size());
}

bool has_loaded(const MotionCase& one) {
  return std::ranges::any_of(one.stats,
                             [](const FrameStats& stats) { return stats.streaming.parts > 0; });
}

nlohmann::json loading_json(const MotionCase& one) {
  return {{"wait_ms", mean_of(one, &StreamWork::wait_ms)},
          {"fill_ms", mean_of(one, &StreamWork::fill_ms)},
          {"read_ms", mean_of(one, &StreamWork::read_ms)},
          {"decode_ms", mean_of(one, &StreamWork::decode_ms)},
          {"prepare_ms", mean_of(one, &StreamWork::prepare_ms)},
          {"parts", mean_of(one, &StreamWork::parts)},
          {"splats", mean_of(one, &StreamWork::splats)},
          {"bytes", mean_of(one, &StreamWork::bytes)}};
}

/// The parts of the time of a jump. Empty where it is not known whether splats were loaded: for a
/// sequence of frames.
std::string jump_text(const MotionCase& jump) {
  if (!has_loaded(jump)) {
    return has_counts(jump)
               ? "  a jump        loads nothing: its splats are on the device already\n"
               : "";
  }
  const double frame_ms = frame_times(jump.frame_ms).mean_ms;
  const double wait_ms = mean_of(jump, &StreamWork::wait_ms);
  return fmt::format(
      "  a jump        waits {:.2f} ms for its splats; its picture takes {:.2f} ms\n"
      "  it loads      {:.1f} parts, {} splats, {}: read {:.2f} ms, decoded {:.2f} ms, prepared "
      "{:.2f} ms (sums of the reading threads); {:.2f} ms to fill pages\n",
      wait_ms, frame_ms - wait_ms, mean_of(jump, &StreamWork::parts),
      short_number(mean_of(jump, &StreamWork::splats)),
      bytes_text(static_cast<std::uint64_t>(mean_of(jump, &StreamWork::bytes))),
      mean_of(jump, &StreamWork::read_ms), mean_of(jump, &StreamWork::decode_ms),
      mean_of(jump, &StreamWork::prepare_ms), mean_of(jump, &StreamWork::fill_ms));
}

std::size_t stalls_of(const MotionCase& one) {
  return static_cast<std::size_t>(
      std::ranges::count_if(one.stats, [](const FrameStats& stats) { return stats.missing > 0; }));
}

}  // namespace

std::vector<MotionCase> measure_motion(const MotionPlan& plan,
                                       const std::function<void()>& before) {
  if (!(plan.model.time_range().end_s > 0)) return {};
  MotionBench bench(plan, before);
  std::vector<MotionCase> cases;
  cases.push_back(bench.still());
  for (const double speed : {1.0, 4.0}) cases.push_back(bench.playing(speed));
  cases.push_back(bench.jumps());
  cases.push_back(bench.crossings());
  return cases;
}

nlohmann::json motion_json(const std::vector<MotionCase>& cases) {
  nlohmann::json result = nlohmann::json::object();
  const bool loads = std::ranges::any_of(cases, has_loaded);
  for (const MotionCase& one : cases) {
    nlohmann::json row = times_json(frame_times(one.frame_ms));
    row["frames"] = one.frame_ms.size();
    row["visible"] = mean_of(one, &FrameStats::visible);
    if (has_counts(one)) {
      row["needed"] = mean_of(one, &FrameStats::needed);
      row["resident"] = mean_of(one, &FrameStats::resident);
      row["stored"] = mean_of(one, &FrameStats::stored);
      row["missing"] = mean_of(one, &FrameStats::missing);
      row["stalls"] = stalls_of(one);
    }
    if (loads) row["loading"] = loading_json(one);
    result[one.name] = std::move(row);
  }
  return result;
}

std::string motion_text(const std::vector<MotionCase>& cases) {
  if (cases.empty()) return {};
  const bool counted = has_counts(cases.front());
  std::string text = fmt::format("\n  {:<13} {:>9} {:>9} {:>9} {:>9} {:>9}", "in time", "frames",
                                 "mean ms", "p50 ms", "p99 ms", "visible");
  if (counted) {
    text += fmt::format(" {:>9} {:>9} {:>9} {:>7}", "needed", "resident", "stored", "stalls");
  }
  text += "\n";
  for (const MotionCase& one : cases) {
    const FrameTimes times = frame_times(one.frame_ms);
    const auto count = [&](std::uint64_t FrameStats::*value) {
      return short_number(mean_of(one, value));
    };
    text += fmt::format("  {:<13} {:>9} {:>9.2f} {:>9.2f} {:>9.2f} {:>9}", one.name,
                        one.frame_ms.size(), times.mean_ms, times.p50_ms, times.p99_ms,
                        count(&FrameStats::visible));
    if (counted) {
      text += fmt::format(" {:>9} {:>9} {:>9} {:>7}", count(&FrameStats::needed),
                          count(&FrameStats::resident), count(&FrameStats::stored), stalls_of(one));
    }
    text += "\n";
  }
  for (const MotionCase& one : cases) {
    if (one.name == kJump) text += jump_text(one);
  }
  return text;
}

}  // namespace mote
