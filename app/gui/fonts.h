#pragma once

// The fonts that the program carries along (app/gui/fonts.S).

#include <imgui.h>

namespace mote::gui {

/// Heights of the text, px of the display.
struct FontSizes {
  float body = 16, heading = 16, small = 13;
};

struct Fonts {
  ImFont* body = nullptr;
  ImFont* heading = nullptr;
  ImFont* small = nullptr;
  ImFont* mono = nullptr;
};

/// In place of all fonts that the context had; the first is the one that text has unless told
/// otherwise.
Fonts load_fonts(const FontSizes& sizes);

}  // namespace mote::gui
