#pragma once

// The ellipse in the image that bounds the pixels of a splat, and the quadratic form that describes
// it. Every kind bounds its splats by such an ellipse, which decides the tiles of a splat. Kinds
// whose response depends on the same form evaluate it over blocks of 4x4 pixels as a polynomial in
// the position within the block:
//   q(x, y) = log2_opacity - A u^2 - D y^2,  u = x + shear y,  (x, y) = pixel - mean
// A splat may touch the pixels with q >= log2(1/255). For the Gaussian, q is log2(alpha). The sums
// of squares keep their precision for thin splats, unlike a x^2 + 2 b x y + c y^2.

#include "cameras/pinhole.h"
#include "math/vector.h"
#include "splats/kinds/alpha.h"

namespace mote {

inline constexpr int kPixelBlock = 4;                // px per side
inline constexpr float kHalfLog2E = 0.72134752044f;  // log2(e) / 2
/// Added to the limit of touches_box(), so that rounding never drops a pixel.
inline constexpr float kBoxSlack = 0.01f;

template <class F>
struct EllipseForm {
  F curvature_u, shear, curvature_y;  // A, shear, D
  F shear_x;                          // maximises q along x = const
};

/// Whether the ellipse A u^2 + D y^2 <= limit meets the box [x0, x1] x [y0, y1], relative to the
/// mean. Exact: the minimum over a box is at the mean or on an edge that faces it.
template <class F>
MOTE_LANE auto touches_box(const EllipseForm<F>& g, F limit, F x0, F x1, F y0, F y1) {
  const F zero(0.0f);
  const F near_x = min(max(zero, x0), x1), near_y = min(max(zero, y0), y1);
  const F best_x = min(max(-(g.shear * near_y), x0), x1);
  const F best_y = min(max(-(g.shear_x * near_x), y0), y1);
  const F u_row = fma(g.shear, near_y, best_x), u_column = fma(g.shear, best_y, near_x);
  const F on_row = fma(g.curvature_u * u_row, u_row, g.curvature_y * near_y * near_y);
  const F on_column = fma(g.curvature_u * u_column, u_column, g.curvature_y * best_y * best_y);
  return min(on_row, on_column) <= limit + F(kBoxSlack);
}

/// The left and right ends of an ellipse within a row of tiles, relative to the mean, px.
template <class F>
struct EllipseSpan {
  F left, right;
};

/// The ends of the ellipse A u^2 + D y^2 <= limit, with half extents extent_x and extent_y, between
/// the heights `top` and `bottom` relative to the mean. That range must meet the ellipse. The right
/// end is concave in y, so its maximum is at the height of the rightmost point, or at the closest
/// height of the row.
template <class F>
MOTE_LANE EllipseSpan<F> ellipse_span(const EllipseForm<F>& g, F limit, F extent_x, F extent_y,
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

/// q over a block: constant + slope_u * U + slope_y * Y + S, with U, Y, S of BlockBasis.
template <class F>
struct BlockPolynomial {
  F constant, slope_u, slope_y;
};

/// The polynomial of a block. (x, y): centre of its first pixel relative to the mean.
template <class F>
MOTE_LANE BlockPolynomial<F> block_polynomial(const EllipseForm<F>& g, F log2_opacity, F x, F y) {
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
MOTE_LANE BlockBasis<F> block_basis(const EllipseForm<F>& g, F column, F row) {
  const F u = fma(g.shear, row, column);
  return {u, row, -fma(g.curvature_u * u, u, g.curvature_y * row * row)};
}

template <class F>
MOTE_LANE F form_value(const BlockPolynomial<F>& p, const BlockBasis<F>& b) {
  return fma(p.slope_u, b.u, b.square) + fma(p.slope_y, b.y, p.constant);
}

/// q at one pixel, (x, y) relative to the mean.
template <class F>
MOTE_LANE F form_value_at(const EllipseForm<F>& g, F log2_opacity, F x, F y) {
  const F u = fma(g.shear, y, x);
  return fnma(g.curvature_u * u, u, fnma(g.curvature_y * y, y, log2_opacity));
}

/// q in a column of pixels: value - 2 d slope - d^2 bend at the distance d below its first pixel.
template <class F>
struct ColumnPolynomial {
  F value, slope, bend;
};

/// The same for every column, px^-2.
template <class F>
MOTE_LANE F column_bend(const EllipseForm<F>& g) {
  return fma(g.curvature_u * g.shear, g.shear, g.curvature_y);
}

/// The polynomial of a column. (x, y): centre of its first pixel relative to the mean. `bend`:
/// column_bend().
template <class F>
MOTE_LANE ColumnPolynomial<F> column_polynomial(const EllipseForm<F>& g, F log2_opacity, F x, F y,
                                                F bend) {
  const F u = fma(g.shear, y, x), au = g.curvature_u * u, dy = g.curvature_y * y;
  return {fnma(au, u, fnma(dy, y, log2_opacity)), fma(au, g.shear, dy), bend};
}

/// `below`: distance from the column's first pixel, px.
template <class F>
MOTE_LANE F form_value(const ColumnPolynomial<F>& p, float below) {
  if (below == 0) return p.value;
  return fma(p.slope, F(-2 * below), fma(p.bend, F(-(below * below)), p.value));
}

/// Width and height of the image, px.
template <class F>
struct ImageBounds {
  F width, height;
};

/// The ellipse x^T covariance^-1 x <= limit / kHalfLog2E around `mean_px`, with limit =
/// log2_opacity - kLog2AlphaMin: outside it the splat's alpha is below kAlphaMin.
template <class F>
struct BoundingEllipse {
  PixelPoint<F> mean_px;
  Sym2<F> covariance;           // px^2
  F determinant;                // of the covariance
  F log2_opacity;               // as drawn
  F extent_x, extent_y;         // half the size of the bounding box, px
  decltype(F() >= F()) inside;  // whether that box meets the image and the splat can be drawn
};

/// Whether the box of the ellipse meets the image and the ellipse can be drawn.
template <class F>
MOTE_LANE auto in_image(const BoundingEllipse<F>& s, ImageBounds<F> image) {
  const F huge(1e30f),
      zero(0.0f);  // px^4; the form's later terms would overflow above it
  return (s.determinant > zero) & (s.determinant < huge) & (s.mean_px.x + s.extent_x >= zero) &
         (s.mean_px.x - s.extent_x <= image.width) & (s.mean_px.y + s.extent_y >= zero) &
         (s.mean_px.y - s.extent_y <= image.height);
}

/// A = log2(e)/2 a, shear = b/a, D = log2(e)/2 (c - b^2/a), shear_x = b/c, for the conic
/// [[a, b], [b, c]] = covariance^-1.
template <class F>
MOTE_LANE EllipseForm<F> form_of(const BoundingEllipse<F>& e) {
  const F half(kHalfLog2E), inverse_yy = F(1.0f) / e.covariance.yy;
  return {half * e.covariance.yy / e.determinant, -(e.covariance.xy * inverse_yy),
          half * inverse_yy, -(e.covariance.xy / e.covariance.xx)};
}

}  // namespace mote
