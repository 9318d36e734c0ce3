#include "app/viewer/session/presented_frames.h"

#include <utility>
#include <vector>

namespace mote {

void PresentedFrames::add(double now_s, double render_ms) {
  constexpr double kPause_s = 0.1;
  ++total_;
  const double gap_s = now_s - std::exchange(last_s_, now_s);
  const bool rested = std::exchange(rested_, false);
  if (total_ == 1 || (rested && gap_s > kPause_s)) return;
  times_.push_back({.gap_ms = 1e3 * gap_s, .render_ms = render_ms});
  if (times_.size() > kMost) times_.pop_front();
}

FrameTimes PresentedFrames::on_screen() const {
  return times_of(&Times::gap_ms);
}

FrameTimes PresentedFrames::rendered() const {
  return times_of(&Times::render_ms);
}

FrameTimes PresentedFrames::times_of(double Times::*which) const {
  std::vector<double> values;
  for (const Times& times : times_) values.push_back(times.*which);
  return frame_times(std::move(values));
}

}  // namespace mote
