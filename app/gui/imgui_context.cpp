#include "app/gui/imgui_context.h"

#include <imgui.h>

#include "app/gui/host.h"

namespace mote::gui {
namespace {

const char* get_clipboard(void* clipboard) {
  return static_cast<HostClipboard*>(clipboard)->get();
}

void set_clipboard(void* clipboard, const char* text) {
  static_cast<HostClipboard*>(clipboard)->set(text);
}

}  // namespace

const char* HostClipboard::get() {
  text_ = host_.clipboard();
  return text_.c_str();
}

void HostClipboard::set(const char* text) {
  host_.set_clipboard(text);
}

ImguiContext::ImguiContext(Host& host) : clipboard_(host) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // no file of its own; the settings are enough
  io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.ClipboardUserData = &clipboard_;
  io.GetClipboardTextFn = get_clipboard;
  io.SetClipboardTextFn = set_clipboard;
}

ImguiContext::~ImguiContext() {
  ImGui::DestroyContext();
}

}  // namespace mote::gui
