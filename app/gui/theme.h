#pragma once

#include <imgui.h>

#include <array>

namespace mote::gui {

/// How the window looks. Lengths are in px of this display: `unit` is one at a scale of 1.
struct Theme {
  bool dark = true;
  float unit = 1;
  // Fonts of the context; each has the icons of icons.h.
  ImFont* body = nullptr;
  ImFont* heading = nullptr;
  ImFont* small = nullptr;
  ImFont* mono = nullptr;
  // Besides those in ImGui's style.
  ImVec4 accent{}, faint{}, good{}, warning{}, bad{};
  std::array<ImVec4, 4> curves{};
};

}  // namespace mote::gui
