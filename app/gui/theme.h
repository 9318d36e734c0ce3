#pragma once

#include <imgui.h>

#include <array>

#include "app/viewer/settings.h"

namespace mote::gui {

/// How the window looks. Lengths are in px of this display: `unit` is one at a scale of 1.
struct Theme {
  bool dark = true;
  float unit = 1;
  float text_px = 0;  // height of `body`; 0: no fonts are loaded
  // Fonts of the context; each has the icons of icons.h.
  ImFont* body = nullptr;
  ImFont* heading = nullptr;
  ImFont* small = nullptr;
  ImFont* mono = nullptr;
  // Besides those in ImGui's style.
  ImVec4 accent{}, faint{}, good{}, warning{}, bad{};
  std::array<ImVec4, 4> curves{};
};

/// The height of text, px of the display, whose scale is `scale`.
float text_height(const ViewerSettings& settings, float scale);

/// Sets ImGui's style by the settings. Loads its fonts, unless `former` has them of this height:
/// then their texture has to be made anew afterwards.
Theme apply_theme(const ViewerSettings& settings, float scale, const Theme& former = {});

}  // namespace mote::gui
