#pragma once

#include <deque>
#include <vector>

#include "app/viewer/window_state.h"

namespace mote::gui {

/// Hands input on to ImGui, frame by frame. One frame gets no more than it can tell apart: a button
/// that goes down and up again does so in two frames, and not before the pointer is there.
class Input {
 public:
  /// Tells ImGui which of the keys are which; for a new context.
  void name_keys() const;
  void add(std::vector<InputEvent>& events);
  /// Before ImGui::NewFrame(). Gives the paths that were dropped.
  std::vector<std::filesystem::path> feed();
  /// Something waits for a further frame.
  bool pending() const { return !waiting_.empty(); }
  /// The last frame could not take all of what had come by then.
  bool left_over() const { return left_over_; }

 private:
  std::deque<InputEvent> waiting_;
  bool left_over_ = false;
};

/// Whether the key went down in this frame, or repeats; and with it exactly what the chord says.
bool pressed(const Chord& chord, bool repeat = false);
/// Whether the key is down.
bool held(Key key);
/// Whether the left button went down in this frame for the second time, or for the fourth and so
/// on: a double click may follow on another at once.
bool double_clicked();

}  // namespace mote::gui
