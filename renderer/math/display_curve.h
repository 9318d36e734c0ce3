#pragma once

// The curve of sRGB (IEC 61966-2-1) between linear light and display values.

#include <algorithm>
#include <cmath>

#include "lanes/lane.h"

namespace mote {

/// The display value of linear light from 0 on; light above 1 is continued on the same curve.
MOTE_LANE float unbounded_display_from_linear(float linear) {
  return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

/// A display value without those beyond the ends.
MOTE_LANE float clamped_display(float display) {
  return std::clamp(display, 0.0f, 1.0f);
}

/// The display value of linear light, which is clamped to 0..1.
MOTE_LANE float display_from_linear(float linear) {
  return unbounded_display_from_linear(std::clamp(linear, 0.0f, 1.0f));
}

/// The inverse, of a display value from 0 to 1.
MOTE_LANE float linear_from_display(float display) {
  const float x = std::clamp(display, 0.0f, 1.0f);
  return x <= 0.04045f ? x / 12.92f : std::pow((x + 0.055f) / 1.055f, 2.4f);
}

}  // namespace mote
