#include "app/viewer/document/scene_clock.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace mote {

void SceneClock::set_range(const TimeRange& range) {
  if (range == range_) return;
  range_ = range;
  if (!(range_.end_s > 0)) playing_ = false;
  position_s_ = std::min(position_s_, range_.end_s);
}

double SceneClock::time_s() const {
  return std::min(position_s_, range_.end_s);
}

void SceneClock::seek(double time_s) {
  position_s_ = std::clamp(time_s, 0.0, range_.end_s);
}

double SceneClock::shown_at(double time_s) const {
  return loop_ ? repeated(time_s, range_) : std::clamp(time_s, 0.0, range_.end_s);
}

void SceneClock::play() {
  if (!(range_.end_s > 0)) return;
  if (time_s() >= range_.end_s) position_s_ = 0;
  beginning_ = !playing_;
  playing_ = true;
}

void SceneClock::set_speed(double speed) {
  CHECK(speed >= kSlowest && speed <= kFastest);
  speed_ = speed;
}

void SceneClock::advance(double dt_s) {
  if (!playing_) return;
  if (beginning_) {
    beginning_ = false;
    return;
  }
  position_s_ += speed_ * dt_s;
  if (loop_ && range_.period_s > 0) {
    position_s_ = std::fmod(position_s_, range_.period_s);
  } else if (position_s_ >= range_.end_s) {
    position_s_ = range_.end_s;
    playing_ = false;
  }
}

}  // namespace mote
