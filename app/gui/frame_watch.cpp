#include "app/gui/frame_watch.h"

#include <algorithm>

#include "app/viewer/workers/seconds.h"
#include "core/file.h"

namespace mote::gui {

void FrameWatch::start(int pipelines) {
  start_pipelines(pipelines);
  files_seen_ = files_opened_here();
}

void FrameWatch::rest() {
  last_shown_s_ = 0;
  window_.presented.rest();
}

void FrameWatch::begin_frame(const Session& session) {
  frame_ = {.asked = session.actions_asked, .rendered = rendered_};
  is_shown_ = false;
  part_from_s_ = now_s();
}

void FrameWatch::end_part(double WindowCosts::*part) {
  const double now = now_s();
  last_.*part = 1e3 * (now - part_from_s_);
  window_.costs.*part += last_.*part;
  part_from_s_ = now;
}

void FrameWatch::end_drawing(const Session& session, bool is_shown) {
  end_part(&WindowCosts::draw_ms);
  ++window_.costs.frames;
  is_shown_ = is_shown;
  const double now = now_s();
  if (is_shown) {
    note_gap(now);
    if (session.frame != nullptr) note_picture(*session.frame, now);
  }
  window_.presented_fps = pictures_.rate(now);
}

void FrameWatch::end_frame(const Session& session) {
  if (!is_shown_) return;
  frame_.after = session.actions;
  if (session.frame != nullptr) frame_.shown = session.frame->actions;
  window_.shown.push_back(frame_);
  if (window_.shown.size() > WindowState::kMostShown) window_.shown.pop_front();
}

void FrameWatch::note_own_work(int pipelines) {
  window_.costs.pipelines += pipelines - pipelines_seen_;
  window_.costs.files += files_opened_here() - files_seen_;
  start(pipelines);
}

void FrameWatch::note_gap(double now) {
  double& longest_ms = window_.costs.longest_gap_ms;
  if (last_shown_s_ > 0) longest_ms = std::max(longest_ms, 1e3 * (now - last_shown_s_));
  last_shown_s_ = now;
}

void FrameWatch::note_picture(const FinishedFrame& frame, double now) {
  if (frame.number == picture_) return;
  picture_ = frame.number;
  pictures_.add(now);
  const bool is_of_splats = frame.stats.total_ms > 0;
  if (is_of_splats) window_.presented.add(now, frame.stats.total_ms);
}

}  // namespace mote::gui
