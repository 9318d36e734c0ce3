#pragma once

// The Gaussian's response over a block of 4x4 pixels, in the form that blending evaluates: the
// exponent as a polynomial in the pixel's place within the block, base 2, opacity folded in.
//   log2(alpha) = log2(opacity) - A u^2 - D y^2,  u = x + shear y,  (x, y) = pixel - mean
// with A = log2(e)/2 a, shear = b/a, D = log2(e)/2 (c - b^2/a): sums of squares, which keep their
// digits for needles, where a x^2 + 2 b x y + c y^2 does not. The same response as response_at().

#include "primitives/gaussian.h"

namespace mote {

inline constexpr int kPixelBlock = 4;                   // px a side
inline constexpr float kLog2AlphaMin = -7.9943534369f;  // log2(1/255)
inline constexpr float kHalfLog2E = 0.72134752044f;     // log2(e) / 2
/// Added to the limit of touches_box(), so that rounding never loses a pixel.
inline constexpr float kBoxSlack = 0.01f;

template <class F>
struct LogResponse {
  F curvature_u, shear, curvature_y;  // A, b/a, D
  F shear_x;                          // b/c: where along x = const the exponent is greatest
};

template <class F>
MOTE_LANE LogResponse<F> log_response_of(const Footprint<F>& f) {
  const F half(kHalfLog2E), inverse_yy = F(1.0f) / f.covariance.yy;
  return {half * f.covariance.yy / f.determinant, -(f.covariance.xy * inverse_yy),
          half * inverse_yy, -(f.covariance.xy / f.covariance.xx)};
}

/// Whether the ellipse A u^2 + D y^2 <= limit meets the box [x0, x1] x [y0, y1], relative to the
/// mean. Exact: the least value over a box is at the mean or on an edge that faces it.
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

/// The exponent over a block: constant + slope_u * U + slope_y * Y + S, with U, Y, S of BlockBasis.
template <class F>
struct BlockPolynomial {
  F constant, slope_u, slope_y;
};

/// (x, y): the centre of the block's first pixel relative to the mean.
template <class F>
MOTE_LANE BlockPolynomial<F> block_polynomial(const LogResponse<F>& g, F log2_opacity, F x, F y) {
  const F u = fma(g.shear, y, x), two(2.0f);
  const F au = g.curvature_u * u, dy = g.curvature_y * y;
  return {log2_opacity - fma(au, u, dy * y), -(two * au), -(two * dy)};
}

/// What a splat gives every block: (column, row) are the lane's place within the block.
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

}  // namespace mote
