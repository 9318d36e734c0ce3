#pragma once

// Small vectors and matrices of lanes. A symmetric matrix holds its upper triangle. The gradient of
// an off-diagonal element counts both elements of the full matrix.

#include "lanes/scalar.h"

namespace mote {

template <class F>
struct Vec3 {
  F x, y, z;
  friend MOTE_LANE Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend MOTE_LANE Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend MOTE_LANE Vec3 operator*(Vec3 a, F s) { return {a.x * s, a.y * s, a.z * s}; }
};

template <class F>
MOTE_LANE Vec3<F> cross(Vec3<F> a, Vec3<F> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class F>
MOTE_LANE F dot(Vec3<F> a, Vec3<F> b) {
  return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}

/// Rows of a 3x3 matrix.
template <class F>
struct Mat3 {
  Vec3<F> row0, row1, row2;
};

/// Rows of a 2x3 matrix.
template <class F>
struct Mat2x3 {
  Vec3<F> row0, row1;
};

/// Upper triangle of a symmetric 2x2 matrix.
template <class F>
struct Sym2 {
  F xx, xy, yy;
};

template <class F>
MOTE_LANE Vec3<F> operator*(const Mat3<F>& m, Vec3<F> v) {
  return {dot(m.row0, v), dot(m.row1, v), dot(m.row2, v)};
}

/// transpose(m) * v
template <class F>
MOTE_LANE Vec3<F> transpose_times(const Mat3<F>& m, Vec3<F> v) {
  return {fma(m.row0.x, v.x, fma(m.row1.x, v.y, m.row2.x * v.z)),
          fma(m.row0.y, v.x, fma(m.row1.y, v.y, m.row2.y * v.z)),
          fma(m.row0.z, v.x, fma(m.row1.z, v.y, m.row2.z * v.z))};
}

template <class F>
MOTE_LANE Mat2x3<F> operator*(const Mat2x3<F>& a, const Mat3<F>& b) {
  return {transpose_times(b, a.row0), transpose_times(b, a.row1)};
}

/// dL/da of a * b, given dL/d(a * b).
template <class F>
MOTE_LANE Mat2x3<F> product_vjp_left(const Mat2x3<F>& d_product, const Mat3<F>& b) {
  return {b * d_product.row0, b * d_product.row1};
}

/// dL/db of a * b, given dL/d(a * b).
template <class F>
MOTE_LANE Mat3<F> product_vjp_right(const Mat2x3<F>& d_product, const Mat2x3<F>& a) {
  return {d_product.row0 * a.row0.x + d_product.row1 * a.row1.x,
          d_product.row0 * a.row0.y + d_product.row1 * a.row1.y,
          d_product.row0 * a.row0.z + d_product.row1 * a.row1.z};
}

/// v / |v|
template <class F>
MOTE_LANE Vec3<F> normalize(Vec3<F> v) {
  return v * (F(1.0f) / sqrt(dot(v, v)));
}

/// dL/dv of v / |v|.
template <class F>
MOTE_LANE Vec3<F> normalize_vjp(Vec3<F> v, Vec3<F> d_unit) {
  const F inverse = F(1.0f) / sqrt(dot(v, v));
  const Vec3<F> unit = v * inverse;
  return (d_unit - unit * dot(unit, d_unit)) * inverse;
}

}  // namespace mote
