#pragma once

#include <deque>

namespace mote {

/// Rate of an event over the last second. Not thread-safe; independent of any clock.
class RateMeter {
 public:
  void add(double now_s) {
    times_s_.push_back(now_s);
    while (now_s - times_s_.front() > kWindow_s) times_s_.pop_front();
  }
  /// Events per second; 0 if there was none lately.
  double rate(double now_s) const {
    if (times_s_.size() < 2 || now_s - times_s_.back() > kWindow_s / 2) return 0;
    const double taken_s = times_s_.back() - times_s_.front();
    return taken_s > 0 ? static_cast<double>(times_s_.size() - 1) / taken_s : 0;
  }

 private:
  static constexpr double kWindow_s = 1;
  std::deque<double> times_s_;
};

}  // namespace mote
