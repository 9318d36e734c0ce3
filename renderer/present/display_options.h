#pragma once

// What the display pass makes of an image between the renderer and the screen. As it stands here
// it is the identity: the values of `mote render`'s PNG.

#include <array>
#include <cstdint>

namespace mote::present {

/// How linear light is brought into the range of the screen.
enum class ToneCurve {
  none,     // cut off at 1
  filmic,   // a fit of the ACES film curve (K. Narkowicz, 2015): soft highlights, more contrast
  neutral,  // Khronos PBR Neutral (2024): keeps colours up to 0.8 and compresses above
};

/// What stands behind pixels that the image does not cover.
enum class Backdrop {
  as_rendered,  // the colour that the image was rendered with
  color,
  checker,
};

/// How an image is brought from render resolution to the size of the view. Of equal sizes each
/// pixel stands for itself whichever it is. Made for enlarging: what is made much smaller shimmers.
enum class Upscale {
  nearest,
  smooth,  // bilinear: a fourth of the work of `sharp`
  sharp,   // Catmull-Rom, held within the range of the nearest four pixels, so that edges do not
           // ring
};

/// How the first image is set against the second. Without a second image it is shown alone.
enum class Compare {
  none,
  split,       // the first left of a line, the second right of it
  flicker,     // each in turn
  difference,  // absolute difference of display values times a gain
};

struct DisplayOptions {
  float exposure_ev = 0;  // stops
  ToneCurve tone = ToneCurve::none;
  bool is_linear = false;  // the image holds linear light, to be encoded; else display values

  Backdrop backdrop = Backdrop::as_rendered;
  std::array<float, 3> rendered_background{0, 0, 0};  // display values, as RenderSettings had it
  std::array<float, 3> backdrop_color{0, 0, 0};       // display values
  float checker_px = 12;                              // side of a square, framebuffer pixels

  Upscale upscale = Upscale::sharp;

  Compare compare = Compare::none;
  float split = 0.5f;               // where the line stands, as a part of the view's width
  float difference_gain = 4;        // times
  double flicker_interval_s = 0.5;  // how long each is shown
};

/// A line with round ends over the image; a dot where both ends are the same. Positions in
/// framebuffer pixels from the view's upper left corner, pixel centres at +0.5.
struct OverlayStroke {
  std::array<float, 2> from{}, to{};
  float width_px = 1;
  std::array<std::uint8_t, 4> color{255, 255, 255, 255};  // display values, not premultiplied
};

}  // namespace mote::present
