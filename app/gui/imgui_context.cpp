#include "app/gui/imgui_context.h"

#include <imgui.h>

#include <string>

#include "app/gui/host.h"

namespace mote::gui {
namespace {

/// ImGui wants the text to live on: it does so until the next call.
const char* get_clipboard(void* host) {
  static std::string text;
  text = static_cast<Host*>(host)->clipboard();
  return text.c_str();
}

void set_clipboard(void* host, const char* text) {
  static_cast<Host*>(host)->set_clipboard(text);
}

}  // namespace

ImguiContext::ImguiContext(Host& host) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // nothing is kept that the settings do not hold
  io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.ClipboardUserData = &host;
  io.GetClipboardTextFn = get_clipboard;
  io.SetClipboardTextFn = set_clipboard;
}

ImguiContext::~ImguiContext() {
  ImGui::DestroyContext();
}

}  // namespace mote::gui
