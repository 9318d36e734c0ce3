#pragma once

// The backward pass of blending: adds the gradients of one splat at a pixel to the splat's sums.

#include "pipeline/blend.h"
#include "pipeline/surface.h"
#include "splats/kinds/kind.h"

namespace mote {

/// A splat at one lane of pixels, as far as it does not depend on the splats before.
template <class Kind, class F>
struct SplatForVjp {
  typename Kind::template At<F> at;
  AlphaForVjp<F> alpha;
};

/// `form_value`: the value of the splat's form there, in the unit `Exponent` if
/// Kind::kFormIsExponent; (x, y): the pixel relative to the mean, px.
template <class Kind, class Exponent = Log2Exponent, class F>
MOTE_LANE SplatForVjp<Kind, F> splat_for_vjp(const BlendedSplat<Kind, F>& splat, F form_value, F x,
                                             F y) {
  const auto at = Kind::respond(splat, form_value, x, y);
  return {at, alpha_for_vjp<Exponent>(Kind::log2_alpha(at))};
}

/// Adds the gradients of one splat at one lane of pixels to the splat's sums.
template <class Kind, bool ABSOLUTE, class F>
MOTE_LANE void blend_splat_vjp(const BlendedSplat<Kind, F>& splat, const SplatForVjp<Kind, F>& s,
                               Vec3<F> color, Vec3<F> d_pixel, F x, F y, PixelBackward<F>& pixel,
                               SplatSums<Kind, F>& sums) {
  const BlendStepGradient<F> step = blend_step_vjp(s.alpha, dot(d_pixel, color), pixel);
  sums[Kind::kRed] = fma(step.weight, d_pixel.x, sums[Kind::kRed]);
  sums[Kind::kGreen] = fma(step.weight, d_pixel.y, sums[Kind::kGreen]);
  sums[Kind::kBlue] = fma(step.weight, d_pixel.z, sums[Kind::kBlue]);
  Kind::template add<ABSOLUTE>(splat, s.at, step.g, x, y, sums);
}

/// The same for pixels in one column, with a common x. Kind::finish_column() completes the sums.
template <class Kind, bool ABSOLUTE, class F>
MOTE_LANE void blend_column_vjp(const BlendedSplat<Kind, F>& splat, const SplatForVjp<Kind, F>& s,
                                Vec3<F> color, Vec3<F> d_pixel, F x, F y, PixelBackward<F>& pixel,
                                SplatSums<Kind, F>& sums) {
  const BlendStepGradient<F> step = blend_step_vjp(s.alpha, dot(d_pixel, color), pixel);
  sums[Kind::kRed] = fma(step.weight, d_pixel.x, sums[Kind::kRed]);
  sums[Kind::kGreen] = fma(step.weight, d_pixel.y, sums[Kind::kGreen]);
  sums[Kind::kBlue] = fma(step.weight, d_pixel.z, sums[Kind::kBlue]);
  Kind::template add_in_column<ABSOLUTE>(splat, s.at, step.g, x, y, sums);
}

/// blend_splat_vjp() with the surface payload. `normal`: Kind::normal() of the splat.
template <class Kind, bool ABSOLUTE, class F>
MOTE_LANE void blend_surface_vjp(const BlendedSplat<Kind, F>& splat, const SplatForVjp<Kind, F>& s,
                                 Vec3<F> color, Vec3<F> normal, Vec3<F> d_pixel,
                                 const SurfaceGradient<F>& d, F x, F y, PixelBackward<F>& pixel,
                                 SplatSums<Kind, F>& sums) {
  const SurfacePoint<F> point{Kind::depth(splat, s.at), normal};
  const BlendStepGradient<F> step =
      blend_step_vjp(s.alpha, dot(d_pixel, color) + along_surface(point, d), pixel);
  sums[Kind::kRed] = fma(step.weight, d_pixel.x, sums[Kind::kRed]);
  sums[Kind::kGreen] = fma(step.weight, d_pixel.y, sums[Kind::kGreen]);
  sums[Kind::kBlue] = fma(step.weight, d_pixel.z, sums[Kind::kBlue]);
  Kind::template add<ABSOLUTE>(splat, s.at, step.g, x, y, sums);
  Kind::add_surface(splat, s.at, surface_vjp(point, step.weight, d), x, y, sums);
}

}  // namespace mote
