#pragma once

#include <string>

namespace mote::gui {

class Host;

/// The clipboard of the host's window system, as ImGui asks for it.
class HostClipboard {
 public:
  explicit HostClipboard(Host& host) : host_(host) {}
  /// Lives on until the next call.
  const char* get();
  void set(const char* text);

 private:
  Host& host_;
  std::string text_;
};

/// Dear ImGui's state, as long as the window lives.
class ImguiContext {
 public:
  /// The host gives the clipboard.
  explicit ImguiContext(Host& host);
  ~ImguiContext();
  ImguiContext(const ImguiContext&) = delete;
  ImguiContext& operator=(const ImguiContext&) = delete;

 private:
  HostClipboard clipboard_;
};

}  // namespace mote::gui
