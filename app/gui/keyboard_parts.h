#pragma once

#include <optional>

#include "app/viewer/session/keys.h"
#include "app/viewer/session/window_state.h"

namespace mote::gui {

/// Moves the keyboard through the parts of the window: each step goes to the next part, and after
/// the last one back to the view. Within a part the arrow keys move, Space and Enter press, and
/// Escape goes back to the view, as a click does.
class KeyboardParts {
 public:
  /// Called before the layout of the parts, since ImGui looks for the first control during it.
  /// Takes the steps of WindowState::part_steps.
  void update(const WindowState& window);
  /// Whether the keyboard is in a part.
  bool active() const { return active_; }
  /// Whether the chord has a meaning within a part, so that it is no shortcut there.
  bool uses(const Chord& chord) const;

 private:
  void go(int steps);

  bool active_ = false;
  std::optional<int> steps_;  // those that were taken
};

}  // namespace mote::gui
