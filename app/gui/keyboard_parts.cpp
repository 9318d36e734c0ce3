#include "app/gui/keyboard_parts.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/input.h"

namespace mote::gui {
namespace {

/// The names of the ImGui windows, in the order of the steps.
constexpr std::array<std::string_view, 7> kParts{"rail",  "side",    "drawer",    "transport",
                                                 "tools", "welcome", "axis cross"};
constexpr std::string_view kNotice = "notice ";

/// The parts that the last frame showed, messages last.
std::vector<ImGuiWindow*> parts_on_screen() {
  std::vector<ImGuiWindow*> parts;
  const ImGuiContext& gui = *ImGui::GetCurrentContext();
  const auto add = [&](const auto& fits) {
    for (ImGuiWindow* window : gui.Windows) {
      if (window->WasActive && fits(std::string_view(window->Name))) parts.push_back(window);
    }
  };
  for (const std::string_view part : kParts) {
    add([part](std::string_view name) { return name == part; });
  }
  add([](std::string_view name) { return name.starts_with(kNotice); });
  return parts;
}

}  // namespace

void KeyboardParts::go(int steps) {
  const std::vector<ImGuiWindow*> parts = parts_on_screen();
  ImGuiContext& gui = *ImGui::GetCurrentContext();
  ImGuiWindow* now = active_ && gui.NavWindow != nullptr ? gui.NavWindow->RootWindow : nullptr;
  // The view is the place after the last part.
  const int places = static_cast<int>(parts.size()) + 1;
  const auto at = static_cast<int>(std::ranges::find(parts, now) - parts.begin());
  const int next = ((at + steps) % places + places) % places;
  active_ = next + 1 < places;
  if (!active_) {
    ImGui::FocusWindow(nullptr);
    return;
  }
  ImGuiWindow* part = parts[static_cast<std::size_t>(next)];
  ImGui::FocusWindow(part);
  ImGui::NavInitWindow(part, true);
  gui.NavDisableHighlight = false;
  gui.NavDisableMouseHover = true;
}

void KeyboardParts::update(const WindowState& window) {
  // Steps of an earlier window do not count.
  const int steps = window.part_steps - steps_.value_or(window.part_steps);
  steps_ = window.part_steps;
  const bool popup = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
  const bool clicked = ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1);
  const bool left = !popup && !ImGui::IsAnyItemActive() && pressed({find_key("Escape")});
  if (active_ && (clicked || left)) {
    active_ = false;
    if (left) ImGui::FocusWindow(nullptr);
  }
  if (steps != 0 && !popup) go(steps);
}

bool KeyboardParts::uses(const Chord& chord) const {
  constexpr std::array<std::string_view, 11> kKeys{
      "Space", "Enter", "Tab", "Escape", "Left", "Right", "Up", "Down", "Home", "End", "PageUp"};
  if (!active_ || chord.ctrl || chord.alt) return false;
  return chord.key == find_key("PageDown") || std::ranges::any_of(kKeys, [&](std::string_view key) {
           return chord.key == find_key(key);
         });
}

}  // namespace mote::gui
