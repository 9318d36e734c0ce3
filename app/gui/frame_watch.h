#pragma once

#include <cstdint>

#include "app/viewer/session/session.h"
#include "app/viewer/workers/rate_meter.h"

namespace mote::gui {

/// Records measurements of the window in its WindowState: cost of frames, which frames were shown
/// and when, their delay behind the input, and pipelines and files created by the thread.
class FrameWatch {
 public:
  explicit FrameWatch(WindowState& window) : window_(window) {}

  /// Excludes everything created so far, which belongs to the start.
  void start(int pipelines);
  /// The same for the pipelines of a newly opened device.
  void start_pipelines(int pipelines) { pipelines_seen_ = pipelines; }
  /// Marks a rest; the next frame is not counted as late.
  void rest();
  /// Starts a cycle of the thread.
  void begin_turn(const Session& session) { rendered_ = session.renderer.answered(); }

  /// Called in this order for each frame: it begins; its keys are answered; a part since the
  /// previous call is done; it was drawn, and `is_shown` or could not be presented; its other input
  /// was handled.
  void begin_frame(const Session& session);
  void note_answers(const Session& session) {
    frame_.before = session.actions;
    frame_.asked = session.actions_asked;
  }
  void end_part(double WindowCosts::*part);
  void end_drawing(const Session& session, bool is_shown);
  void end_frame(const Session& session);

  void note_own_work(int pipelines);

  /// Costs of the last frame's parts.
  const WindowCosts& last() const { return last_; }

 private:
  void note_gap(double now);
  void note_picture(const FinishedFrame& frame, double now);

  WindowState& window_;
  WindowCosts last_;
  double part_from_s_ = 0;
  ShownFrame frame_;  // the current frame
  bool is_shown_ = false;
  std::uint64_t rendered_ = 0;               // RenderWorker::answered() at the start of the cycle
  double last_shown_s_ = 0;                  // 0: rested since the last frame
  std::uint64_t picture_ = 0;                // number of the picture shown last
  RateMeter pictures_;                       // rate of shown pictures
  int pipelines_seen_ = 0, files_seen_ = 0;  // counts already in WindowState
};

}  // namespace mote::gui
