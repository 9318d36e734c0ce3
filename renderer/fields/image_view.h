#pragma once

// The plane of a neural image (fields/image_plane.h) as the pixels of a pinhole camera see it.

#include "lanes/scalar.h"

namespace mote {

struct Camera;

/// The rays of a camera through the plane, from pixel coordinates (x, y): each component of a
/// direction is linear in them.
struct ImageView {
  /// Factors of x, y and 1. `along`: 1 / distance; `right`, `down`: of the direction, in widths and
  /// heights of the image.
  float along[3], right[3], down[3];
  float origin_x, origin_y;  // of the rays, 0 to 1 inside the image
};

/// `aspect`: width of the image divided by its height.
ImageView image_view(double aspect, const Camera& camera);

/// Samples per side of a pixel, 1 to 4: more where a pixel in the middle of the picture covers
/// several pixels of the trained image, which is `image_height` pixels high.
int image_samples_per_side(double aspect, int image_height, const Camera& camera);

/// The point that a camera sees at (x, y) px.
template <class F>
struct SeenPoint {
  F x, y;      // 0 to 1 inside the image
  F distance;  // along the ray, which has depth 1 per length; not positive and finite: none
};

template <class F>
MOTE_LANE SeenPoint<F> seen_point(const ImageView& view, F x, F y) {
  const auto linear = [&](const float(&factors)[3]) {
    return fma(F(factors[0]), x, fma(F(factors[1]), y, F(factors[2])));
  };
  const F distance = F(1.0f) / linear(view.along);
  return {fma(distance, linear(view.right), F(view.origin_x)),
          fma(distance, linear(view.down), F(view.origin_y)), distance};
}

/// Whether the camera sees the point inside the image.
template <class F>
MOTE_LANE auto is_inside(const SeenPoint<F>& point) {
  const F zero(0.0f), one(1.0f);
  return (point.distance > zero) & (point.x >= zero) & (point.x <= one) & (point.y >= zero) &
         (point.y <= one);
}

}  // namespace mote
