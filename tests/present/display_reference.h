#pragma once

// Reference of the display pass: double precision, one pixel at a time.

#include <array>

#include "core/image.h"
#include "present/display_pass.h"

namespace mote {

struct DisplayScene {
  const Image* first = nullptr;   // [h][w][3]
  const Image* alpha = nullptr;   // of `first`; may be null
  const Image* second = nullptr;  // may be null
  present::Rectangle view{};
  present::DisplayOptions options{};
  double time_s = 0;
};

/// Unrounded values 0..255 of a framebuffer pixel in the view.
std::array<double, 3> displayed(const DisplayScene& scene, int x, int y);

}  // namespace mote
