#pragma once

#include <imgui.h>

#include <string_view>
#include <vector>

#include "app/viewer/session/window_state.h"

namespace mote::gui {

/// Records the positions of named elements in the current frame, for scripts.
class Places {
 public:
  /// `wanted` is false without a script; then nothing is recorded.
  void begin_frame(bool wanted);

  /// Adds the visible part of the last item. `label` is an ImGui label; a leading icon and the text
  /// after "##" do not belong to the name.
  void add(std::string_view label);
  /// Adds a rectangle of the window, px.
  void add(std::string_view name, ImVec2 low, ImVec2 high);

  std::vector<NamedPlace> take();

 private:
  bool wanted_ = false;
  std::vector<NamedPlace> list_;
};

}  // namespace mote::gui
