#pragma once

// The records that every kind of splat fills, in lanes. A kind is one class in one header;
// splats/kinds/gaussian.h shows the members that it needs. Kernels are templates over the kind and
// contain no formulas.

#include "cameras/view_camera.h"
#include "splats/kinds/ellipse.h"
#include "splats/kinds/splat_kind.h"
#include "splats/kinds/stored.h"

namespace mote {

template <class F, int COUNT>
struct Words {
  F value[COUNT];
};
template <class F>
struct Words<F, 0> {};

/// A splat in the image of a camera.
template <class Kind, class F>
struct Projected {
  BoundingEllipse<F> bound;
  Words<F, Kind::kExtraWords> extra;  // further values that blending needs
};

/// A projected splat as blending reads it.
template <class Kind, class F>
struct BlendedSplat {
  EllipseForm<F> form;
  F log2_opacity, depth;  // depth: view z of the mean
  Words<F, Kind::kExtraWords> extra;
};

/// The surface of a splat at one pixel, or the gradient with respect to it. Only for kinds that are
/// surfaces (Kind::kIsSurface).
template <class F>
struct SurfacePoint {
  F depth;         // view z
  Vec3<F> normal;  // in the camera's frame, towards the camera, unit length
};

/// Sums over pixels from which a splat's gradient is computed, indexed by Kind::Sum. The first
/// three are dL/dcolour. The sums that every step needs come first, then those of AbsGS
/// (kAbsoluteX, kAbsoluteY), then those of the surface payload.
template <class Kind, class F>
struct SplatSums {
  F value[Kind::kSums];

  MOTE_LANE F& operator[](typename Kind::Sum sum) { return value[sum]; }
  MOTE_LANE F operator[](typename Kind::Sum sum) const { return value[sum]; }
};

/// The number of sums in use.
template <class Kind, bool ABSOLUTE, bool SURFACE = false>
inline constexpr int kUsedSums = SURFACE ? Kind::kSums : Kind::kAbsoluteX + (ABSOLUTE ? 2 : 0);

/// The length of a record of sums in memory, rounded up to vectors of four.
template <class Kind>
inline constexpr int kPaddedSums = (Kind::kSums + 3) / 4 * 4;

/// The gradient of one splat. The pose's gradient is that of p_cam -> p_cam + rotation x
/// p_cam + translation, for small rotation and translation.
template <class Kind, class F>
struct ViewGradient {
  StoredSplat<Kind, F> stored;
  PixelPoint<F> d_mean_px;
  Vec3<F> d_pose_rotation, d_pose_translation;
};

/// sigmoid(-100 (opacity - 0.005)): faint splats get noise, opaque ones none.
template <class F>
MOTE_LANE F mcmc_gate(F opacity) {
  return sigmoid(F(-100.0f) * (opacity - F(0.005f)));
}

/// Adds the AbsGS sums of one lane of pixels for a response that depends on the form's value:
/// |dL/dmean_px|, from g = dL/d(-form) in natural units, at (x, y).
template <class F>
MOTE_LANE void add_absolute(const EllipseForm<F>& form, F g, F x, F y, F& absolute_x,
                            F& absolute_y) {
  const F u = form.curvature_u * fma(form.shear, y, x);
  const F v = fma(form.shear, u, form.curvature_y * y);
  const F ln4(1.3862943611f);  // the form is base 2; a square's derivative has a factor of 2
  absolute_x = fma(ln4, abs(g * u), absolute_x);
  absolute_y = fma(ln4, abs(g * v), absolute_y);
}

}  // namespace mote
