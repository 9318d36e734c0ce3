#pragma once

// The Gaussian's response over a block of 4x4 pixels, in the form that blending evaluates: the
// exponent, base 2 and including opacity, as a polynomial in the pixel's position within the block.
//   log2(alpha) = log2(opacity) - A u^2 - D y^2,  u = x + shear y,  (x, y) = pixel - mean
// with A = log2(e)/2 a, shear = b/a, D = log2(e)/2 (c - b^2/a). These sums of squares keep their
// precision for thin splats, unlike a x^2 + 2 b x y + c y^2. The response equals response_at().

#include "cameras/pinhole.h"
#include "splats/kinds/gaussian.h"

namespace mote {

inline constexpr int kPixelBlock = 4;                   // px a side
inline constexpr float kLog2AlphaMin = -7.9943534369f;  // log2(1/255)
inline constexpr float kHalfLog2E = 0.72134752044f;     // log2(e) / 2
/// Added to the limit of touches_box(), so that rounding never drops a pixel.
inline constexpr float kBoxSlack = 0.01f;

template <class F>
struct LogResponse {
  F curvature_u, shear, curvature_y;  // A, b/a, D
  F shear_x;                          // b/c: maximises the exponent along x = const
};

template <class F>
MOTE_LANE LogResponse<F> log_response_of(const Footprint<F>& f) {
  const F half(kHalfLog2E), inverse_yy = F(1.0f) / f.covariance.yy;
  return {half * f.covariance.yy / f.determinant, -(f.covariance.xy * inverse_yy),
          half * inverse_yy, -(f.covariance.xy / f.covariance.xx)};
}

/// Whether the ellipse A u^2 + D y^2 <= limit meets the box [x0, x1] x [y0, y1], relative to the
/// mean. Exact: the minimum over a box is at the mean or on an edge that faces it.
template <class F>
MOTE_LANE auto touches_box(const LogResponse<F>& g, F limit, F x0, F x1, F y0, F y1) {
  const F zero(0.0f);
  const F near_x = min(max(zero, x0), x1), near_y = min(max(zero, y0), y1);
  const F best_x = min(max(-(g.shear * near_y), x0), x1);
  const F best_y = min(max(-(g.shear_x * near_x), y0), y1);
  const F u_row = fma(g.shear, near_y, best_x), u_column = fma(g.shear, best_y, near_x);
  const F on_row = fma(g.curvature_u * u_row, u_row, g.curvature_y * near_y * near_y);
  const F on_column = fma(g.curvature_u * u_column, u_column, g.curvature_y * best_y * best_y);
  return min(on_row, on_column) <= limit + F(kBoxSlack);
}

/// The left and right end of an ellipse within a row of tiles, relative to the mean, px.
template <class F>
struct EllipseSpan {
  F left, right;
};

/// The ends of the ellipse A u^2 + D y^2 <= limit, with half extents extent_x and extent_y, between
/// the heights `top` and `bottom` relative to the mean. That range must meet the ellipse. The right
/// end is concave in y, so its maximum is at the height of the rightmost point, or at the closest
/// height of the row.
template <class F>
MOTE_LANE EllipseSpan<F> ellipse_span(const LogResponse<F>& g, F limit, F extent_x, F extent_y,
                                      F top, F bottom) {
  const F low = max(top, -extent_y), high = max(low, min(bottom, extent_y));
  const F rightmost_y = -(g.shear_x * extent_x);
  const F right_y = min(max(rightmost_y, low), high), left_y = min(max(-rightmost_y, low), high);
  const F inverse = F(1.0f) / g.curvature_u;  // the same for all rows; the compiler hoists it
  const auto reach_at = [&](F y) {
    return sqrt(max(F(0.0f), limit + F(kBoxSlack) - g.curvature_y * y * y) * inverse);
  };
  return {-(g.shear * left_y) - reach_at(left_y), reach_at(right_y) - g.shear * right_y};
}

/// The exponent over a block: constant + slope_u * U + slope_y * Y + S, with U, Y, S of BlockBasis.
template <class F>
struct BlockPolynomial {
  F constant, slope_u, slope_y;
};

/// (x, y): centre of the block's first pixel relative to the mean.
template <class F>
MOTE_LANE BlockPolynomial<F> block_polynomial(const LogResponse<F>& g, F log2_opacity, F x, F y) {
  const F u = fma(g.shear, y, x), two(2.0f);
  const F au = g.curvature_u * u, dy = g.curvature_y * y;
  return {log2_opacity - fma(au, u, dy * y), -(two * au), -(two * dy)};
}

/// The terms of a splat that are the same for every block. (column, row): the lane's position in
/// the block.
template <class F>
struct BlockBasis {
  F u, y, square;
};

template <class F>
MOTE_LANE BlockBasis<F> block_basis(const LogResponse<F>& g, F column, F row) {
  const F u = fma(g.shear, row, column);
  return {u, row, -fma(g.curvature_u * u, u, g.curvature_y * row * row)};
}

template <class F>
MOTE_LANE F log2_alpha(const BlockPolynomial<F>& p, const BlockBasis<F>& b) {
  return fma(p.slope_u, b.u, fma(p.slope_y, b.y, b.square + p.constant));
}

/// The same exponent at one pixel, (x, y) relative to the mean.
template <class F>
MOTE_LANE F log2_alpha_at(const LogResponse<F>& g, F log2_opacity, F x, F y) {
  const F u = fma(g.shear, y, x);
  return fnma(g.curvature_u * u, u, fnma(g.curvature_y * y, y, log2_opacity));
}

inline constexpr float kNeverTouched = 1e30f;  // an exponent above that of any splat

/// The blending state of a pixel. `least`: the minimum exponent that it accepts, kLog2AlphaMin
/// until it stops, then kNeverTouched.
template <class F>
struct PixelForward {
  F transmittance, least;
};

template <class F>
struct BlendStep {
  F weight;      // weight of the splat's colour in the pixel
  bool stopped;  // some lane had stopped before this splat
};

/// Blends one splat at one lane of pixels: skips below kAlphaMin, clamps, stops before
/// kTransmittanceMin.
template <class F>
MOTE_LANE BlendStep<F> blend_step(F exponent, PixelForward<F>& pixel) {
  const auto touched = exponent >= pixel.least;
  const F alpha = keep(touched, min(F(kAlphaMax), exp2_bounded(exponent)));
  const F before = pixel.transmittance;
  F weight = alpha * before;
  pixel.transmittance = fnma(alpha, before, before);
  const auto stop = pixel.transmittance < F(kTransmittanceMin);
  const bool stopped = any(stop);
  if (__builtin_expect(stopped, 0)) {
    weight = select(stop, F(0.0f), weight);
    pixel.transmittance = select(stop, before, pixel.transmittance);
    pixel.least = select(stop, F(kNeverTouched), pixel.least);
  }
  return {weight, stopped};
}

/// The state of a pixel in the backward pass, front to back. It holds the transmittance before the
/// next splat (0 once the pixel has stopped), and dL/dpixel . (colour of the remaining terms,
/// background included). Initial values: 1 and dL/dpixel . pixel.
template <class F>
struct PixelBackward {
  F transmittance, behind;
};

/// Sums over pixels from which a splat's gradient is computed. g = dL/d ln(alpha); (x, y) is the
/// pixel relative to the mean, px.
template <class F>
struct BlendSums {
  F red, green, blue;        // dL/dcolour
  F g, g_x, g_y;             // sums of g, g x, g y
  F g_xx, g_xy, g_yy;        // and of g x^2, g x y, g y^2
  F absolute_x, absolute_y;  // sums of |dL/dmean_px| per pixel; optional
};

/// The weight of a splat's colour in a pixel, and dL/d ln(alpha).
template <class F>
struct BlendStepGradient {
  F weight, g;
};

/// One splat at one lane of pixels, with the exponent that blending computed. The steps match
/// blending: skip below kAlphaMin, clamp (which passes no gradient), stop before kTransmittanceMin.
/// Equals blend_vjp() and response_vjp() without stored states.
template <class F>
MOTE_LANE BlendStepGradient<F> blend_step_vjp(F exponent, Vec3<F> color, Vec3<F> d_pixel,
                                              PixelBackward<F>& pixel) {
  const F one(1.0f), unclamped = exp2_bounded(exponent);
  const auto touched = exponent >= F(kLog2AlphaMin);
  const F alpha = keep(touched, min(F(kAlphaMax), unclamped));
  const F after = fnma(alpha, pixel.transmittance, pixel.transmittance);
  const auto going = after >= F(kTransmittanceMin);
  const F weight = keep(going, alpha * pixel.transmittance);
  const F along = dot(d_pixel, color);
  const F behind = keep(going, fnma(weight, along, pixel.behind));
  const F d_alpha = fnma(behind, reciprocal(one - alpha), pixel.transmittance * along);
  const F g = keep(touched & going & (unclamped < F(kAlphaMax)), alpha * d_alpha);
  pixel = {keep(going, after), behind};
  return {weight, g};
}

/// Adds the AbsGS sums of one lane of pixels: |dL/dmean_px|, from g at (x, y).
template <class F>
MOTE_LANE void add_absolute(const LogResponse<F>& response, F g, F x, F y, F& absolute_x,
                            F& absolute_y) {
  const F u = response.curvature_u * fma(response.shear, y, x);
  const F v = fma(response.shear, u, response.curvature_y * y);
  const F ln4(1.3862943611f);  // the exponent is base 2; a square's derivative has a factor of 2
  absolute_x = fma(ln4, abs(g * u), absolute_x);
  absolute_y = fma(ln4, abs(g * v), absolute_y);
}

/// Adds blend_step_vjp() to the sums.
template <bool ABSOLUTE, class F>
MOTE_LANE void blend_block_vjp(F exponent, Vec3<F> color, Vec3<F> d_pixel, F x, F y,
                               const LogResponse<F>& response, PixelBackward<F>& pixel,
                               BlendSums<F>& sums) {
  const BlendStepGradient<F> step = blend_step_vjp(exponent, color, d_pixel, pixel);
  sums.red = fma(step.weight, d_pixel.x, sums.red);
  sums.green = fma(step.weight, d_pixel.y, sums.green);
  sums.blue = fma(step.weight, d_pixel.z, sums.blue);
  const F g = step.g, g_x = g * x, g_y = g * y;
  sums.g = sums.g + g;
  sums.g_x = sums.g_x + g_x;
  sums.g_y = sums.g_y + g_y;
  sums.g_xx = fma(g_x, x, sums.g_xx);
  sums.g_xy = fma(g_x, y, sums.g_xy);
  sums.g_yy = fma(g_y, y, sums.g_yy);
  if constexpr (ABSOLUTE) {
    add_absolute(response, g, x, y, sums.absolute_x, sums.absolute_y);
  }
}

/// BlendSums of pixels in one column, with a common x. Its powers are applied at the end.
template <class F>
struct ColumnSums {
  F red, green, blue;
  F g, g_y, g_yy;
  F absolute_x, absolute_y;
};

/// Adds blend_step_vjp() to the column's sums.
template <bool ABSOLUTE, class F>
MOTE_LANE void blend_column_vjp(F exponent, Vec3<F> color, Vec3<F> d_pixel, F x, F y,
                                const LogResponse<F>& response, PixelBackward<F>& pixel,
                                ColumnSums<F>& sums) {
  const BlendStepGradient<F> step = blend_step_vjp(exponent, color, d_pixel, pixel);
  sums.red = fma(step.weight, d_pixel.x, sums.red);
  sums.green = fma(step.weight, d_pixel.y, sums.green);
  sums.blue = fma(step.weight, d_pixel.z, sums.blue);
  const F g_y = step.g * y;
  sums.g = sums.g + step.g;
  sums.g_y = sums.g_y + g_y;
  sums.g_yy = fma(g_y, y, sums.g_yy);
  if constexpr (ABSOLUTE) {
    add_absolute(response, step.g, x, y, sums.absolute_x, sums.absolute_y);
  }
}

template <class F>
MOTE_LANE BlendSums<F> sums_of_column(const ColumnSums<F>& s, F x) {
  const F g_x = s.g * x;
  return {s.red,   s.green,   s.blue, s.g,          g_x,         s.g_y,
          g_x * x, s.g_y * x, s.g_yy, s.absolute_x, s.absolute_y};
}

/// dL/dmean_px from the sums of g x and g y.
template <class F>
MOTE_LANE PixelPoint<F> mean_gradient(const Conic<F>& q, F g_x, F g_y) {
  return {q.a * g_x + q.b * g_y, q.b * g_x + q.c * g_y};
}

/// dL/dconic from the sums of g x^2, g x y and g y^2.
template <class F>
MOTE_LANE Conic<F> conic_gradient(F g_xx, F g_xy, F g_yy) {
  return {F(-0.5f) * g_xx, -g_xy, F(-0.5f) * g_yy};
}

}  // namespace mote
