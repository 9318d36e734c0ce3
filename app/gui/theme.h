#pragma once

#include <imgui.h>

#include <array>

#include "app/viewer/settings.h"

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

/// Sets ImGui's style and loads its fonts, by the settings; `scale` is that of the display. The
/// fonts' texture has to be made anew afterwards.
Theme apply_theme(const ViewerSettings& settings, float scale);

}  // namespace mote::gui
