#pragma once

#include <cstdint>

#include "app/viewer/rate_meter.h"
#include "app/viewer/session.h"

namespace mote::gui {

/// Keeps the window's accounts, in its WindowState: what frames cost, which of them came onto the
/// screen and when, how far they are behind the hands, and what the thread has made and opened.
class FrameWatch {
 public:
  explicit FrameWatch(WindowState& window) : window_(window) {}

  /// What was made and opened up to now was for the start.
  void start(int pipelines);
  /// As `start`, of a device that was opened anew.
  void start_pipelines(int pipelines) { pipelines_seen_ = pipelines; }
  /// Nothing goes on: the next frame is not late.
  void rest();
  /// A turn of the thread begins.
  void begin_turn(const Session& session) { rendered_ = session.renderer.answered(); }

  /// In the order of a frame: it begins; a part of it is done, since the part before; it was drawn,
  /// and `is_shown` or could not be; what hands did to it has been answered.
  void begin_frame(const Session& session);
  void end_part(double WindowCosts::*part);
  void end_drawing(const Session& session, bool is_shown);
  void end_frame(const Session& session);

  void note_own_work(int pipelines);

  /// The parts of the last frame.
  const WindowCosts& last() const { return last_; }

 private:
  void note_gap(double now);
  void note_picture(const FinishedFrame& frame, double now);

  WindowState& window_;
  WindowCosts last_;
  double part_from_s_ = 0;
  ShownFrame frame_;  // that is being made
  bool is_shown_ = false;
  std::uint64_t rendered_ = 0;               // RenderWorker::answered() as the turn began
  double last_shown_s_ = 0;                  // 0: has rested since
  std::uint64_t picture_ = 0;                // that was on the screen last
  RateMeter pictures_;                       // that came there
  int pipelines_seen_ = 0, files_seen_ = 0;  // of those in WindowCosts
};

}  // namespace mote::gui
