#pragma once

// The fonts embedded in the program (app/gui/fonts.S).

#include <imgui.h>

namespace mote::gui {

/// Text heights, display pixels.
struct FontSizes {
  float body = 16, heading = 16, small = 13;
};

struct Fonts {
  ImFont* body = nullptr;
  ImFont* heading = nullptr;
  ImFont* small = nullptr;
  ImFont* mono = nullptr;
};

/// Replaces all fonts of the context. The first one is the default font.
Fonts load_fonts(const FontSizes& sizes);

}  // namespace mote::gui
