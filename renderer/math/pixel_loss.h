#pragma once

// The loss at one pixel of one channel: weight * ((1 - w) |x - y| + w (1 - SSIM)), with x rendered
// and y photographed. The gradient filters the derivatives of SSIM with respect to the moments
// by the window a second time.

#include "math/exposure.h"
#include "math/ssim.h"
#include "math/vector.h"

namespace mote {

/// The value of a photograph's byte, 0 to 1.
template <class F>
MOTE_LANE F unit_of_byte(F byte) {
  return byte * F(1.0f / 255.0f);
}

/// A photograph's colour composed over the background by its alpha.
template <class F>
MOTE_LANE F composed(F color, F alpha, F background) {
  return fma(alpha, color - background, background);
}

/// The vjp of composed() with respect to the background.
template <class F>
MOTE_LANE F background_vjp(F alpha, F d_composed) {
  return d_composed * (F(1.0f) - alpha);
}

/// One channel of an exposure (math/exposure.h): m0 * red + m1 * green + m2 * blue + offset.
template <class F>
struct ExposureRow {
  F m0, m1, m2, offset;
};

template <class F>
MOTE_LANE ExposureRow<F> exposure_row(const float* exposure, int channel) {
  const float* row = exposure + channel * kExposureRow;
  return {F(row[0]), F(row[1]), F(row[2]), F(row[3])};
}

template <class F>
MOTE_LANE F exposed(const ExposureRow<F>& row, Vec3<F> rgb) {
  return fma(row.m0, rgb.x, fma(row.m1, rgb.y, fma(row.m2, rgb.z, row.offset)));
}

/// Value k of the row, in the order of Exposure.
template <class F>
MOTE_LANE F value_of(const ExposureRow<F>& row, int k) {
  return k == 0 ? row.m0 : k == 1 ? row.m1 : k == 2 ? row.m2 : row.offset;
}

/// Adds the vjp of exposed().
template <class F>
MOTE_LANE void add_exposed_vjp(const ExposureRow<F>& row, Vec3<F> rgb, F d_exposed,
                               ExposureRow<F>& d_row, Vec3<F>& d_rgb) {
  d_row.m0 = fma(d_exposed, rgb.x, d_row.m0);
  d_row.m1 = fma(d_exposed, rgb.y, d_row.m1);
  d_row.m2 = fma(d_exposed, rgb.z, d_row.m2);
  d_row.offset = d_row.offset + d_exposed;
  d_rgb.x = fma(d_exposed, row.m0, d_rgb.x);
  d_rgb.y = fma(d_exposed, row.m1, d_rgb.y);
  d_rgb.z = fma(d_exposed, row.m2, d_rgb.z);
}

/// Factors of two sums in the loss, times `scale`: that of weight * |x - y| and that of weight *
/// SSIM.
MOTE_LANE float l1_factor(float scale, float ssim_weight) {
  return scale * (1 - ssim_weight);
}
MOTE_LANE float ssim_factor(float scale, float ssim_weight) {
  return -scale * ssim_weight;
}

/// Sums of weight * |x - y| and of weight * (x - y)^2.
template <class F>
struct PixelErrors {
  F absolute, squared;
};

template <class F>
MOTE_LANE void add_error(F difference, F weight, PixelErrors<F>& errors) {
  errors.absolute = fma(weight, abs(difference), errors.absolute);
  errors.squared = fma(weight * difference, difference, errors.squared);
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
