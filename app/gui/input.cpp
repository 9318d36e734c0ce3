#include "app/gui/input.h"

#include <imgui.h>

#include <iterator>
#include <set>
#include <utility>

namespace mote::gui {
namespace {

using Kind = InputEvent::Kind;

/// Input that the current frame already has.
struct FrameInput {
  bool any_button = false, any_scroll = false;
  bool any_plain_key = false;  // a key other than a modifier
  std::set<Key> keys;
};

bool goes_with_others(Key key) {
  return key == find_key("Ctrl") || key == find_key("Shift") || key == find_key("Alt");
}

bool fits(const InputEvent& event, const FrameInput& frame) {
  switch (event.kind) {
    case Kind::pointer_move:
      return !frame.any_button && !frame.any_scroll;
    case Kind::button_press:
    case Kind::button_release:
      return !frame.any_button;
    case Kind::key_press:
    case Kind::key_release:
      // W and then Ctrl is not Ctrl+W. A Ctrl released after O was still held with it.
      return !frame.keys.contains(event.key) &&
             !(frame.any_plain_key && goes_with_others(event.key));
    case Kind::text:
      return frame.keys.empty();
    case Kind::scroll:
    case Kind::drop:
      return true;
  }
  return true;
}

void take(const InputEvent& event, FrameInput& frame) {
  ImGuiIO& io = ImGui::GetIO();
  switch (event.kind) {
    case Kind::pointer_move:
      io.MousePos = {static_cast<float>(event.x), static_cast<float>(event.y)};
      break;
    case Kind::button_press:
    case Kind::button_release:
      io.MouseDown[static_cast<std::size_t>(event.button)] = event.kind == Kind::button_press;
      frame.any_button = true;
      break;
    case Kind::scroll:
      io.MouseWheelH += static_cast<float>(event.x);
      io.MouseWheel += static_cast<float>(event.y);
      frame.any_scroll = true;
      break;
    case Kind::key_press:
    case Kind::key_release:
      io.KeysDown[event.key] = event.kind == Kind::key_press;
      frame.keys.insert(event.key);
      frame.any_plain_key |= !goes_with_others(event.key);
      break;
    case Kind::text:
      io.AddInputCharactersUTF8(event.text.c_str());
      break;
    case Kind::drop:
      break;
  }
}

}  // namespace

void Input::name_keys() const {
  constexpr std::pair<ImGuiKey, const char*> kKeys[] = {
      {ImGuiKey_Tab, "Tab"},
      {ImGuiKey_LeftArrow, "Left"},
      {ImGuiKey_RightArrow, "Right"},
      {ImGuiKey_UpArrow, "Up"},
      {ImGuiKey_DownArrow, "Down"},
      {ImGuiKey_PageUp, "PageUp"},
      {ImGuiKey_PageDown, "PageDown"},
      {ImGuiKey_Home, "Home"},
      {ImGuiKey_End, "End"},
      {ImGuiKey_Insert, "Insert"},
      {ImGuiKey_Delete, "Delete"},
      {ImGuiKey_Backspace, "Backspace"},
      {ImGuiKey_Space, "Space"},
      {ImGuiKey_Enter, "Enter"},
      {ImGuiKey_Escape, "Escape"},
      {ImGuiKey_A, "A"},
      {ImGuiKey_C, "C"},
      {ImGuiKey_V, "V"},
      {ImGuiKey_X, "X"},
      {ImGuiKey_Y, "Y"},
      {ImGuiKey_Z, "Z"},
  };
  for (const auto& [imgui_key, name] : kKeys) ImGui::GetIO().KeyMap[imgui_key] = find_key(name);
}

void Input::add(std::vector<InputEvent>& events) {
  waiting_.insert(waiting_.end(), std::make_move_iterator(events.begin()),
                  std::make_move_iterator(events.end()));
  events.clear();
}

std::vector<std::filesystem::path> Input::feed() {
  std::vector<std::filesystem::path> dropped;
  FrameInput frame;
  while (!waiting_.empty() && fits(waiting_.front(), frame)) {
    InputEvent event = std::move(waiting_.front());
    waiting_.pop_front();
    take(event, frame);
    dropped.insert(dropped.end(), event.paths.begin(), event.paths.end());
  }
  left_over_ = pending();
  ImGuiIO& io = ImGui::GetIO();
  io.KeyCtrl = io.KeysDown[find_key("Ctrl")];
  io.KeyShift = io.KeysDown[find_key("Shift")];
  io.KeyAlt = io.KeysDown[find_key("Alt")];
  // ImGui's menus take Space only.
  const bool in_menu = (io.ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard) != 0;
  if (in_menu && io.KeysDown[find_key("Enter")]) io.NavInputs[ImGuiNavInput_Activate] = 1;
  return dropped;
}

bool pressed(const Chord& chord, bool repeat) {
  const ImGuiIO& io = ImGui::GetIO();
  return chord.ctrl == io.KeyCtrl && chord.shift == io.KeyShift && chord.alt == io.KeyAlt &&
         ImGui::IsKeyPressed(chord.key, repeat);
}

bool double_clicked() {
  const int clicks = ImGui::GetMouseClickedCount(0);
  return clicks > 0 && clicks % 2 == 0;
}

bool held(Key key) {
  return ImGui::GetIO().KeysDown[key];
}

Cursor cursor_of(PointerShape shape) {
  switch (shape) {
    case PointerShape::cross:
      return Cursor::cross;
    case PointerShape::left_right:
      return Cursor::resize_across;
    case PointerShape::hand:
    case PointerShape::move:
      return Cursor::hand;
    case PointerShape::arrow:
      break;
  }
  return Cursor::arrow;
}

Cursor cursor_of(ImGuiMouseCursor shape) {
  switch (shape) {
    case ImGuiMouseCursor_TextInput:
      return Cursor::text;
    case ImGuiMouseCursor_ResizeEW:
      return Cursor::resize_across;
    case ImGuiMouseCursor_ResizeNS:
      return Cursor::resize_along;
    case ImGuiMouseCursor_Hand:
      return Cursor::hand;
    default:
      return Cursor::arrow;
  }
}

}  // namespace mote::gui
