#pragma once

#include <imgui.h>

#include <array>

#include "app/viewer/session/settings.h"

namespace mote::gui {

/// Fonts and colours of the window. Lengths are display pixels; `unit` is one pixel at a scale of
/// 1.
struct Theme {
  bool dark = true;
  float unit = 1;
  float text_px = 0;  // height of `body`; 0: no fonts are loaded
  // Fonts of the context; each contains the icons of icons.h.
  ImFont* body = nullptr;
  ImFont* heading = nullptr;
  ImFont* small = nullptr;
  ImFont* mono = nullptr;
  // Colours in addition to those of ImGui's style.
  ImVec4 accent{}, faint{}, good{}, warning{}, bad{};
  std::array<ImVec4, 4> curves{};
};

/// Text height in display pixels, for a display with this scale.
float text_height(const ViewerSettings& settings, float scale);

/// Sets ImGui's style from the settings. Loads its fonts, unless `former` has fonts of the same
/// height; after loading, the font texture must be rebuilt.
Theme apply_theme(const ViewerSettings& settings, float scale, const Theme& former = {});

}  // namespace mote::gui
