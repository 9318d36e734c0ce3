#pragma once

#include <cstdint>
#include <deque>

#include "app/jobs/bench_report.h"

namespace mote {

/// Times between the pictures on screen, and their render times. Not thread-safe; independent of
/// any clock.
class PresentedFrames {
 public:
  /// Number of kept times, enough for a 99th percentile.
  static constexpr std::size_t kMost = 500;

  /// Records that a picture which took `render_ms` is now on screen.
  void add(double now_s, double render_ms);
  /// Marks a rest: nothing is left to be shown. The gap to the next picture is then not counted.
  void rest() { rested_ = true; }

  /// Number of all pictures so far.
  std::uint64_t total() const { return total_; }
  /// Number of kept times: the newest gaps between consecutive pictures.
  std::size_t count() const { return times_.size(); }
  /// Times from one picture to the next; `fps` is the rate on screen. CHECKs that count() > 0.
  FrameTimes on_screen() const;
  /// Render times of the same pictures. CHECKs that count() > 0.
  FrameTimes rendered() const;

 private:
  struct Times {
    double gap_ms = 0, render_ms = 0;
  };
  FrameTimes times_of(double Times::*which) const;

  std::deque<Times> times_;
  std::uint64_t total_ = 0;
  double last_s_ = 0;
  bool rested_ = false;
};

}  // namespace mote
