#pragma once

// The loss at one pixel of one channel: weight * ((1 - w) |x - y| + w (1 - SSIM)), with x rendered
// and y photographed. Its gradient uses the derivatives of SSIM by the moments, filtered by the
// window a second time.

#include "math/ssim.h"

namespace mote {

/// A photograph's colour composed over the background by its alpha.
template <class F>
MOTE_LANE F composed(F color, F alpha, F background) {
  return fma(alpha, color - background, background);
}

template <class F>
struct PixelLossGradient {
  F d_x, d_y;
};

/// The gradient of weight_l1 * |x - y|.
template <class F>
MOTE_LANE PixelLossGradient<F> l1_gradient(F difference, F weight_l1) {
  const F zero(0.0f);
  const F sign = select(difference > zero, F(1.0f), keep(difference < zero, F(-1.0f)));
  const F d_x = weight_l1 * sign;
  return {d_x, -d_x};
}

/// Adds the gradient of weight_ssim * (sum of weight * SSIM). `d` holds the window sums of weight *
/// Ssim::d around this pixel.
template <class F>
MOTE_LANE PixelLossGradient<F> add_ssim_gradient(PixelLossGradient<F> g, F x, F y,
                                                 const SsimMoments<F>& d, F weight_ssim) {
  const F two(2.0f), squares = two * d.squares, of_difference = two * (x - y) * d.difference;
  return {fma(weight_ssim, fma(squares, x, d.mean_x) + of_difference, g.d_x),
          fma(weight_ssim, fma(squares, y, d.mean_y) - of_difference, g.d_y)};
}

}  // namespace mote
