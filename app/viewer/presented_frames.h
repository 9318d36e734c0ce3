#pragma once

#include <cstdint>
#include <deque>

#include "app/bench_report.h"

namespace mote {

/// Pictures that came onto the screen: how long after the one before, and what rendering them took.
/// One thread's; knows no clock.
class PresentedFrames {
 public:
  /// Of which the times are kept: enough for a percentile of 99.
  static constexpr std::size_t kMost = 500;

  /// A picture that took `render_ms` is on the screen.
  void add(double now_s, double render_ms);
  /// Nothing is left to be shown. A picture that comes later than a moving hand would have it does
  /// not follow on the last one.
  void rest() { rested_ = true; }

  /// All pictures so far.
  std::uint64_t total() const { return total_; }
  /// Those whose times are kept: of the newest, each that followed on another.
  std::size_t count() const { return times_.size(); }
  /// From a picture to the next, `fps` being what was seen of them. CHECKs that there are some.
  FrameTimes on_screen() const;
  /// Of the same pictures, what the renderer took. CHECKs that there are some.
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
