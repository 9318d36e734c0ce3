#pragma once

namespace mote {

/// When a scene moves: from 0 to end_s. Played over and over it begins again after period_s, which
/// leaves its last frame there as long as any other.
struct TimeRange {
  double end_s = 0, period_s = 0;
  bool operator==(const TimeRange&) const = default;
};

/// The time `time_s` after the start of what is shown over and over.
double repeated(double time_s, const TimeRange& range);

/// The time that the view shows, and how it runs. One thread's; knows no other clock.
class SceneClock {
 public:
  static constexpr double kSlowest = 0.05, kFastest = 16;

  /// Of all that is open; one that ends at 0 stands still. The time stays within.
  void set_range(const TimeRange& range);
  const TimeRange& range() const { return range_; }

  double time_s() const;
  /// Goes there, or to the nearer end.
  void seek(double time_s);
  /// What is shown so long after the start: around and around, or the end once it is reached.
  double shown_at(double time_s) const;

  bool playing() const { return playing_; }
  /// From the start where it stands at the end. Nothing where nothing moves.
  void play();
  void pause() { playing_ = false; }
  bool loop() const { return loop_; }
  void set_loop(bool loop) { loop_ = loop; }
  /// Scene seconds a second, kSlowest to kFastest.
  double speed() const { return speed_; }
  void set_speed(double speed);

  /// Goes on by `dt_s` while it plays: around and around, or to the end, where it stops. The first
  /// call after play() only begins: what went by before was no playing.
  void advance(double dt_s);

 private:
  TimeRange range_;
  double position_s_ = 0;  // up to the period
  double speed_ = 1;
  bool playing_ = false, beginning_ = false, loop_ = true;
};

}  // namespace mote
