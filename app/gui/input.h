#pragma once

#include <imgui.h>
#include <deque>
#include <vector>

#include "app/gui/host.h"
#include "app/viewer/session/window_state.h"
#include "app/viewer/view/view_tools.h"

namespace mote::gui {

/// Passes input to ImGui frame by frame. A frame gets only events that ImGui can distinguish: a
/// press and a release of a button go to two frames, and the pointer's position comes before both.
class Input {
 public:
  /// Sets up the key names of a new context.
  void name_keys() const;
  void add(std::vector<InputEvent>& events);
  /// Called before ImGui::NewFrame(). Returns dropped paths.
  std::vector<std::filesystem::path> feed();
  /// Whether events wait for a further frame.
  bool pending() const { return !waiting_.empty(); }
  /// Whether events that came before the last frame are still waiting.
  bool left_over() const { return left_over_; }

 private:
  std::deque<InputEvent> waiting_;
  bool left_over_ = false;
};

/// Whether the key was pressed in this frame, or repeats, with exactly the chord's modifiers.
bool pressed(const Chord& chord, bool repeat = false);
/// Whether the key is down.
bool held(Key key);
/// Whether the left button was pressed in this frame for the second time, the fourth time and so
/// on, so that one double click can directly follow another.
bool double_clicked();

/// The cursor for the pointer's shape in the view, and for ImGui's cursor.
Cursor cursor_of(PointerShape shape);
Cursor cursor_of(ImGuiMouseCursor shape);

}  // namespace mote::gui
