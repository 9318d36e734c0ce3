#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>
#include <optional>

#include "splats/splat_cloud.h"

namespace mote {

/// A change of a scene's colours. The members are applied in the order below, each to
/// display-referred colour. Together they form an affine map.
struct ColorAdjustment {
  double exposure = 0;  // stops: factor 2^exposure
  glm::dvec3 tint{1};   // factor per channel
  // 0 keeps the luma only (Rec. 709: 0.2126, 0.7152, 0.0722), 1 changes nothing
  double saturation = 1;
  double contrast = 1;  // factor on the difference from 0.5

  friend bool operator==(const ColorAdjustment&, const ColorAdjustment&) = default;
};

/// linear * color + offset.
struct AffineColor {
  glm::dmat3 linear{1};
  glm::dvec3 offset{0};
};

/// The affine map of the adjustment.
AffineColor color_map(const ColorAdjustment& adjustment);

/// The map that undoes the given one; empty if it loses information, as without saturation.
std::optional<AffineColor> inverted(const AffineColor& map);

/// Bakes the adjustment into the splats, in place. With c = 0.5 + sum_k y_k Y_k(direction) and c' =
/// A c + b the coefficients become y'_k = A y_k, and y'_0 = A y_0 + (A 0.5 + b - 0.5) / Y_0. This
/// is exact except for the clamp of a splat's colour at 0, which follows it. If no colour is
/// clamped before or after, a picture p with alpha a over black becomes A p + b a.
void adjust_colors(SplatCloud& cloud, const ColorAdjustment& adjustment);
/// The same for any map of colours. Both throw Error if the splats have features.
void map_colors(SplatCloud& cloud, const AffineColor& map);

}  // namespace mote
