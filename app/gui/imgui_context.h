#pragma once

namespace mote::gui {

class Host;

/// Dear ImGui's state, as long as the window lives.
class ImguiContext {
 public:
  /// The host gives the clipboard.
  explicit ImguiContext(Host& host);
  ~ImguiContext();
  ImguiContext(const ImguiContext&) = delete;
  ImguiContext& operator=(const ImguiContext&) = delete;
};

}  // namespace mote::gui
