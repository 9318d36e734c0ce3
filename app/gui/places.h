#pragma once

#include <imgui.h>

#include <string_view>
#include <vector>

#include "app/viewer/window_state.h"

namespace mote::gui {

/// Where the things are that scripts can point at by their names: of the frame that is being laid
/// out.
class Places {
 public:
  /// Without a script nobody asks, and nothing is kept.
  void begin_frame(bool wanted);

  /// The last item, as far as it is seen. `label` as ImGui takes it: an icon before the text and
  /// what follows "##" are no part of the name.
  void add(std::string_view label);
  /// A rectangle of the window, px.
  void add(std::string_view name, ImVec2 low, ImVec2 high);

  std::vector<NamedPlace> take();

 private:
  bool wanted_ = false;
  std::vector<NamedPlace> list_;
};

}  // namespace mote::gui
