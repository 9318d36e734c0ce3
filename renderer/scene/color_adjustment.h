#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "scene/splat_cloud.h"

namespace mote {

/// How the colours of a scene are changed: all of it maps a display-referred colour to another by
/// an affine map, in this order.
struct ColorAdjustment {
  double exposure = 0;    // stops: times 2^exposure
  glm::dvec3 tint{1};     // times this, channel by channel
  double saturation = 1;  // 0 leaves the luma (Rec. 709: 0.2126, 0.7152, 0.0722), 1 changes nothing
  double contrast = 1;    // differences from 0.5 times this

  friend bool operator==(const ColorAdjustment&, const ColorAdjustment&) = default;
};

/// linear * color + offset.
struct AffineColor {
  glm::dmat3 linear{1};
  glm::dvec3 offset{0};
};

/// The map that the adjustment stands for.
AffineColor color_map(const ColorAdjustment& adjustment);

/// Bakes the adjustment into the splats, in place. With c = 0.5 + sum_k y_k Y_k(direction) and
/// c' = A c + b the coefficients become y'_k = A y_k, and y'_0 = A y_0 + (A 0.5 + b - 0.5) / Y_0.
/// That is exact but for the clamp of a splat's colour at 0, which comes after: where no colour is
/// clamped, before or after, a picture p with alpha a over black becomes A p + b a.
void adjust_colors(SplatCloud& cloud, const ColorAdjustment& adjustment);

}  // namespace mote
