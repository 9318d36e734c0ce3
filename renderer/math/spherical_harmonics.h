#pragma once

// Real spherical harmonics up to degree 4 in the order and with the signs of 3DGS files: bands 0 to
// 4, m from -l to l, Condon-Shortley phase. Colour is max(0, 0.5 + sum of coefficient * basis).
// Constants: Sloan, Efficient Spherical Harmonic Evaluation (JCGT 2013).

#include "math/vector.h"

namespace mote {

/// basis[0 .. (DEGREE+1)^2) at the unit direction `d`.
template <int DEGREE, class F>
MOTE_LANE void sh_basis(Vec3<F> d, F* basis) {
  const F x = d.x, y = d.y, z = d.z;
  basis[0] = F(0.28209479177387814f);
  if constexpr (DEGREE >= 1) {
    const F c1(0.4886025119029199f);
    basis[1] = -(c1 * y);
    basis[2] = c1 * z;
    basis[3] = -(c1 * x);
  }
  if constexpr (DEGREE >= 2) {
    const F xx = x * x, yy = y * y, zz = z * z, c(1.0925484305920792f);
    basis[4] = c * (x * y);
    basis[5] = -(c * (y * z));
    basis[6] = F(0.31539156525252005f) * (F(2.0f) * zz - xx - yy);
    basis[7] = -(c * (x * z));
    basis[8] = F(0.5462742152960396f) * (xx - yy);
  }
  if constexpr (DEGREE >= 3) {
    const F xx = x * x, yy = y * y, zz = z * z;
    const F a(-0.5900435899266435f), b(-0.4570457994644658f), ring = F(4.0f) * zz - xx - yy;
    basis[9] = a * y * (F(3.0f) * xx - yy);
    basis[10] = F(2.890611442640554f) * (x * y) * z;
    basis[11] = b * y * ring;
    basis[12] = F(0.3731763325901154f) * z * (F(2.0f) * zz - F(3.0f) * xx - F(3.0f) * yy);
    basis[13] = b * x * ring;
    basis[14] = F(1.445305721320277f) * z * (xx - yy);
    basis[15] = a * x * (xx - F(3.0f) * yy);
  }
  if constexpr (DEGREE >= 4) {
    const F xx = x * x, yy = y * y, zz = z * z;
    const F a(-1.7701307697799304f), b(-0.6690465435572892f);
    const F ring1 = F(7.0f) * zz - F(1.0f), ring3 = F(7.0f) * zz - F(3.0f);
    basis[16] = F(2.5033429417967046f) * (x * y) * (xx - yy);
    basis[17] = a * (y * z) * (F(3.0f) * xx - yy);
    basis[18] = F(0.9461746957575601f) * (x * y) * ring1;
    basis[19] = b * (y * z) * ring3;
    basis[20] = F(0.10578554691520431f) * (zz * (F(35.0f) * zz - F(30.0f)) + F(3.0f));
    basis[21] = b * (x * z) * ring3;
    basis[22] = F(0.47308734787878004f) * (xx - yy) * ring1;
    basis[23] = a * (x * z) * (xx - F(3.0f) * yy);
    basis[24] = F(0.6258357354491761f) * (xx * (xx - F(3.0f) * yy) - yy * (F(3.0f) * xx - yy));
  }
}

/// dL/dd (not projected to the sphere) of sh_basis, given g = dL/dbasis.
template <int DEGREE, class F>
MOTE_LANE Vec3<F> sh_basis_vjp(Vec3<F> d, const F* g) {
  const F x = d.x, y = d.y, z = d.z, two(2.0f), three(3.0f), four(4.0f), six(6.0f);
  const F xx = x * x, yy = y * y, zz = z * z;
  Vec3<F> r{F(0.0f), F(0.0f), F(0.0f)};
  if constexpr (DEGREE >= 1) {
    const F c1(0.4886025119029199f);
    r = {-(c1 * g[3]), -(c1 * g[1]), c1 * g[2]};
  }
  if constexpr (DEGREE >= 2) {
    const F c(1.0925484305920792f), e(0.31539156525252005f), h(0.5462742152960396f);
    r.x = r.x + c * (y * g[4] - z * g[7]) - two * e * x * g[6] + two * h * x * g[8];
    r.y = r.y + c * (x * g[4] - z * g[5]) - two * e * y * g[6] - two * h * y * g[8];
    r.z = r.z - c * (y * g[5] + x * g[7]) + four * e * z * g[6];
  }
  if constexpr (DEGREE >= 3) {
    const F a(-0.5900435899266435f), b(-0.4570457994644658f), c(2.890611442640554f),
        e(0.3731763325901154f), h(1.445305721320277f), eight(8.0f), ring = four * zz - xx - yy;
    r.x = r.x + a * six * x * y * g[9] + c * y * z * g[10] - b * two * x * y * g[11] -
          e * six * x * z * g[12] + b * (ring - two * xx) * g[13] + h * two * x * z * g[14] +
          a * three * (xx - yy) * g[15];
    r.y = r.y + a * three * (xx - yy) * g[9] + c * x * z * g[10] + b * (ring - two * yy) * g[11] -
          e * six * y * z * g[12] - b * two * x * y * g[13] - h * two * y * z * g[14] -
          a * six * x * y * g[15];
    r.z = r.z + c * x * y * g[10] + b * eight * y * z * g[11] +
          e * (six * zz - three * xx - three * yy) * g[12] + b * eight * x * z * g[13] +
          h * (xx - yy) * g[14];
  }
  if constexpr (DEGREE >= 4) {
    const F c(2.5033429417967046f), a(-1.7701307697799304f), e(0.9461746957575601f),
        b(-0.6690465435572892f), q(0.10578554691520431f), h(0.47308734787878004f),
        k(0.6258357354491761f), f14(14.0f), f21(21.0f);
    const F ring1 = F(7.0f) * zz - F(1.0f), ring3 = F(7.0f) * zz - three;
    r.x = r.x + c * y * (three * xx - yy) * g[16] + a * six * x * y * z * g[17] +
          e * y * ring1 * g[18] + b * z * ring3 * g[21] + h * two * x * ring1 * g[22] +
          a * three * z * (xx - yy) * g[23] + k * four * x * (xx - three * yy) * g[24];
    r.y = r.y + c * x * (xx - three * yy) * g[16] + a * three * z * (xx - yy) * g[17] +
          e * x * ring1 * g[18] + b * z * ring3 * g[19] - h * two * y * ring1 * g[22] -
          a * six * x * y * z * g[23] + k * four * y * (yy - three * xx) * g[24];
    r.z = r.z + a * y * (three * xx - yy) * g[17] + e * f14 * x * y * z * g[18] +
          b * y * (f21 * zz - three) * g[19] + q * z * (F(140.0f) * zz - F(60.0f)) * g[20] +
          b * x * (f21 * zz - three) * g[21] + h * f14 * z * (xx - yy) * g[22] +
          a * x * (xx - three * yy) * g[23];
  }
  return r;
}

/// One channel's colour from the sum of coefficient * basis.
template <class F>
MOTE_LANE F sh_color(F sum) {
  return max(F(0.0f), sum + F(0.5f));
}

/// dL/dsum of sh_color.
template <class F>
MOTE_LANE F sh_color_vjp(F sum, F d_color) {
  return keep(sum + F(0.5f) > F(0.0f), d_color);
}

/// The colour in the unit direction; coefficient(k, channel) reads the harmonics.
template <int DEGREE, class F, class Read>
MOTE_LANE Vec3<F> sh_colors(Vec3<F> direction, const Read& coefficient) {
  constexpr int kCoefficients = (DEGREE + 1) * (DEGREE + 1);
  F basis[kCoefficients];
  sh_basis<DEGREE>(direction, basis);
  F sum[3] = {F(0.0f), F(0.0f), F(0.0f)};
  for (int k = 0; k < kCoefficients; ++k) {
    for (int c = 0; c < 3; ++c) sum[c] = fma(basis[k], coefficient(k, c), sum[c]);
  }
  return {sh_color(sum[0]), sh_color(sum[1]), sh_color(sum[2])};
}

/// write(k, channel, dL/dcoefficient) for each coefficient; returns dL/d(unit direction).
template <int DEGREE, class F, class Read, class Write>
MOTE_LANE Vec3<F> sh_colors_vjp(Vec3<F> direction, const Read& coefficient, Vec3<F> d_color,
                                const Write& write) {
  constexpr int kCoefficients = (DEGREE + 1) * (DEGREE + 1);
  F basis[kCoefficients], d_basis[kCoefficients];
  for (F& d : d_basis) d = F(0.0f);
  sh_basis<DEGREE>(direction, basis);
  const F d_channels[3] = {d_color.x, d_color.y, d_color.z};
  for (int c = 0; c < 3; ++c) {
    F sum(0.0f);
    for (int k = 0; k < kCoefficients; ++k) sum = fma(basis[k], coefficient(k, c), sum);
    const F d = sh_color_vjp(sum, d_channels[c]);
    for (int k = 0; k < kCoefficients; ++k) {
      write(k, c, d * basis[k]);
      d_basis[k] = fma(d, coefficient(k, c), d_basis[k]);
    }
  }
  return sh_basis_vjp<DEGREE>(direction, d_basis);
}

}  // namespace mote
