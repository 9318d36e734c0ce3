#pragma once

#include <optional>
#include <set>
#include <vector>

#include "app/gui/theme.h"
#include "app/viewer/session/window_state.h"

namespace mote::gui {

/// Moves the pointer by keys, for work without a mouse. While it is on, arrow keys move the
/// pointer, Enter clicks, Space presses the left button or releases it, PageUp and PageDown turn
/// the wheel, and Escape ends it. A movement of the mouse ends it, too.
class PointerKeys {
 public:
  /// The window at one poll.
  struct Situation {
    int width = 0, height = 0;  // framebuffer px
    double unit = 1;            // px per unit at the display scale
    bool typing = false;        // a text field has the keyboard, and its keys
    double now_s = 0;
  };

  /// Takes the requests of WindowState::pointer_requests, and replaces the events of these keys by
  /// events of a pointer. A held arrow key adds movements.
  void take(WindowState& window, const Situation& now);

  /// Draws the pointer over everything, since the system draws its own one where the mouse is.
  void draw(const Theme& theme) const;

  bool on() const { return on_; }
  /// Whether an arrow key is held, so that time moves the pointer.
  bool moving() const { return on_ && !held_.empty(); }
  /// Whether Space holds the left button.
  bool pressing() const { return pressing_; }
  double x() const { return x_; }
  double y() const { return y_; }

 private:
  void turn(bool on, const Situation& now, std::vector<InputEvent>& out);
  /// Whether the event was one of its own, which then is in `out` as one of a pointer.
  bool replace(const InputEvent& event, const Situation& now, std::vector<InputEvent>& out);
  void press(Key key, const Situation& now, std::vector<InputEvent>& out);
  void move(Key arrow, const Situation& now, std::vector<InputEvent>& out);
  void button(bool down, std::vector<InputEvent>& out);

  bool on_ = false, pressing_ = false;
  double x_ = 0, y_ = 0;  // of the pointer, px
  bool placed_ = false;   // the pointer was somewhere
  bool shift_ = false, alt_ = false;
  std::set<Key> taken_;       // keys whose press was replaced, so that their release is, too
  std::set<Key> held_;        // arrow keys among them
  double next_s_ = 0;         // time of the next movement of a held arrow key
  std::optional<int> known_;  // WindowState::pointer_requests that were taken
};

}  // namespace mote::gui
