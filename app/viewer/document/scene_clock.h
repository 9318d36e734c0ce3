#pragma once

#include "scene/time_range.h"

namespace mote {

/// The time that the view shows, and its playback. Not thread-safe; independent of any other clock.
class SceneClock {
 public:
  static constexpr double kSlowest = 0.05, kFastest = 16;

  /// Sets the joint range of all open scenes and clamps the time to it. A range that ends at 0 is
  /// static.
  void set_range(const TimeRange& range);
  const TimeRange& range() const { return range_; }

  double time_s() const;
  /// Sets the time, clamped to the range.
  void seek(double time_s);
  /// The scene time at `time_s` after the start: repeated in a loop, else clamped to the end.
  double shown_at(double time_s) const;

  bool playing() const { return playing_; }
  /// Plays; restarts from the beginning if the time is at the end. Does nothing for a static range.
  void play();
  void pause() { playing_ = false; }
  bool loop() const { return loop_; }
  void set_loop(bool loop) { loop_ = loop; }
  /// Scene seconds per second, kSlowest to kFastest.
  double speed() const { return speed_; }
  void set_speed(double speed);

  /// Advances by `dt_s` while playing; repeats in a loop, else stops at the end. The first call
  /// after play() does not advance, since its `dt_s` lies before play().
  void advance(double dt_s);

 private:
  TimeRange range_;
  double position_s_ = 0;  // 0 to the period
  double speed_ = 1;
  bool playing_ = false, beginning_ = false, loop_ = true;
};

}  // namespace mote
