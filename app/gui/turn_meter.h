#pragma once

#include <algorithm>
#include <ctime>

#include "app/viewer/session/window_state.h"
#include "app/viewer/workers/seconds.h"

namespace mote::gui {

/// Measures one cycle of the window's thread, from construction to destruction, and keeps the
/// maximum.
class TurnMeter {
 public:
  explicit TurnMeter(WindowCosts& costs) : costs_(costs) {}
  ~TurnMeter() {
    costs_.longest_turn_ms = std::max(costs_.longest_turn_ms, 1e3 * (now_s() - from_s_));
    costs_.longest_work_ms = std::max(costs_.longest_work_ms, 1e3 * (work_s() - work_from_s_));
  }
  TurnMeter(const TurnMeter&) = delete;
  TurnMeter& operator=(const TurnMeter&) = delete;

 private:
  /// CPU time of this thread, s.
  static double work_s() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  WindowCosts& costs_;
  double from_s_ = now_s(), work_from_s_ = work_s();
};

}  // namespace mote::gui
