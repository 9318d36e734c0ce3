#pragma once

#include <string>

namespace mote::gui {

class Host;

/// Gives ImGui access to the host's clipboard.
class HostClipboard {
 public:
  explicit HostClipboard(Host& host) : host_(host) {}
  /// Valid until the next call.
  const char* get();
  void set(const char* text);

 private:
  Host& host_;
  std::string text_;
};

/// Owns Dear ImGui's context.
class ImguiContext {
 public:
  /// Takes the clipboard from the host.
  explicit ImguiContext(Host& host);
  ~ImguiContext();
  ImguiContext(const ImguiContext&) = delete;
  ImguiContext& operator=(const ImguiContext&) = delete;

 private:
  HostClipboard clipboard_;
};

}  // namespace mote::gui
