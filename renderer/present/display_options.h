#pragma once

// Options of the display pass between the renderer's image and the screen. The defaults are the
// identity: the values of `mote render`'s PNG.

#include <array>
#include <cstdint>

namespace mote::present {

/// Mapping of linear light to the range of the screen.
enum class ToneCurve {
  none,     // clamped at 1
  filmic,   // a fit of the ACES film curve (K. Narkowicz, 2015): soft highlights, more contrast
  neutral,  // Khronos PBR Neutral (2024): keeps colours up to 0.8 and compresses above
};

/// Colour of pixels that the image does not cover.
enum class Backdrop {
  as_rendered,  // the background colour of the rendering
  color,
  checker,
};

/// Filter from render resolution to the size of the view. At equal sizes all are the identity.
/// Meant for enlarging: a large reduction aliases.
enum class Upscale {
  nearest,
  smooth,  // bilinear: a fourth of the cost of `sharp`
  sharp,   // Catmull-Rom, held within the range of the nearest four pixels, so that edges do not
           // ring
};

/// Comparison of the first image with the second. Without a second image, the first one is shown
/// alone.
enum class Compare {
  none,
  split,       // the first image left of a line, the second right of it
  flicker,     // alternating
  difference,  // the error of display values, times the gain
};

/// The error e = first - second of a channel, as Compare::difference shows it.
enum class ErrorMetric {
  absolute,  // |e|
  squared,   // e^2
  relative,  // |e| / (second + kRelativeErrorFloor)
  signed_,   // 1/2 + e / 2: grey where the images are equal, brighter where the first one is
};
inline constexpr float kRelativeErrorFloor = 0.01f;

struct DisplayOptions {
  float exposure_ev = 0;  // stops
  ToneCurve tone = ToneCurve::none;
  bool is_linear = false;  // the image holds linear light and is encoded; otherwise display values

  Backdrop backdrop = Backdrop::as_rendered;
  std::array<float, 3> rendered_background{0, 0, 0};  // display values, from RenderSettings
  std::array<float, 3> backdrop_color{0, 0, 0};       // display values
  float checker_px = 12;                              // side of a square, framebuffer pixels

  Upscale upscale = Upscale::sharp;

  Compare compare = Compare::none;
  float split = 0.5f;  // position of the line as a fraction of the view's width
  ErrorMetric metric = ErrorMetric::absolute;
  float difference_gain = 4;        // factor on the error
  double flicker_interval_s = 0.5;  // duration of each image
};

/// A line with round ends over the image; a dot if both ends are equal. Positions in framebuffer
/// pixels from the upper left corner of the view, pixel centres at +0.5.
struct OverlayStroke {
  std::array<float, 2> from{}, to{};
  float width_px = 1;
  std::array<std::uint8_t, 4> color{255, 255, 255, 255};  // display values, not premultiplied
};

}  // namespace mote::present
