#pragma once

// The 3D Gaussian in EWA splatting: footprint in the image, response at a pixel, and one blending
// step, each with its vjp. Kerbl et al. 2023; the antialiased kernel is that of Mip-Splatting (Yu
// et al. 2024). splats/kinds/gaussian_block.h has the same response in the form that kernels
// evaluate.

#include "math/quaternion.h"
#include "math/vector.h"

namespace mote {

inline constexpr float kDilation = 0.3f;             // px^2, added to the image covariance
inline constexpr float kAlphaMax = 0.99f;            // upper bound on a splat's alpha
inline constexpr float kAlphaMin = 1.0f / 255.0f;    // a pixel skips smaller alphas
inline constexpr float kTransmittanceMin = 1e-4f;    // a pixel stops before it falls below
inline constexpr float kCompensationMin2 = 2.5e-5f;  // lower bound on det / det' when antialiased

/// The matrix that maps the unit sphere to the splat: rotation * diag(scale).
template <class F>
MOTE_LANE Mat3<F> splat_axes(const Mat3<F>& rotation, Vec3<F> scale) {
  const auto row = [&](Vec3<F> r) { return Vec3<F>{r.x * scale.x, r.y * scale.y, r.z * scale.z}; };
  return {row(rotation.row0), row(rotation.row1), row(rotation.row2)};
}

template <class F>
struct SplatAxesGradient {
  Mat3<F> d_rotation;
  Vec3<F> d_scale;
};

template <class F>
MOTE_LANE SplatAxesGradient<F> splat_axes_vjp(const Mat3<F>& rotation, Vec3<F> scale,
                                              const Mat3<F>& d) {
  const Mat3<F>& r = rotation;
  return {splat_axes(d, scale),
          {r.row0.x * d.row0.x + r.row1.x * d.row1.x + r.row2.x * d.row2.x,
           r.row0.y * d.row0.y + r.row1.y * d.row1.y + r.row2.y * d.row2.y,
           r.row0.z * d.row0.z + r.row1.z * d.row1.z + r.row2.z * d.row2.z}};
}

/// A splat's dilated covariance in the image, its determinant, and the compensation of the
/// dilation.
template <class F>
struct Footprint {
  Sym2<F> covariance;  // px^2
  F determinant;       // from the axes, since cancellation would lose it for thin splats
  F compensation;      // sqrt(det / det'): the factor on opacity when antialiased
};

/// `axes_px` = Jacobian * cam_from_world * splat_axes: the axes of the splat in the image.
template <class F>
MOTE_LANE Footprint<F> footprint_from(const Mat2x3<F>& axes_px) {
  const Vec3<F> a = axes_px.row0, b = axes_px.row1;
  const F dilation(kDilation);
  const F xx = dot(a, a), xy = dot(a, b), yy = dot(b, b);
  const Vec3<F> cross{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  const F before = dot(cross, cross);  // det(A A^T), by Cauchy-Binet
  const F after = before + dilation * (xx + yy) + dilation * dilation;
  return {
      {xx + dilation, xy, yy + dilation}, after, sqrt(max(F(kCompensationMin2), before / after))};
}

/// The inverse of the covariance: sigma = (a dx^2 + c dy^2) / 2 + b dx dy.
template <class F>
struct Conic {
  F a, b, c;
};

template <class F>
MOTE_LANE Conic<F> conic_of(const Footprint<F>& f) {
  const F inverse = F(1.0f) / f.determinant;
  return {f.covariance.yy * inverse, -(f.covariance.xy * inverse), f.covariance.xx * inverse};
}

/// dL/daxes_px of conic_of(footprint_from(axes_px)) and of its compensation.
template <class F>
MOTE_LANE Mat2x3<F> footprint_vjp(const Mat2x3<F>& axes_px, const Footprint<F>& f, Conic<F> d_conic,
                                  F d_compensation) {
  const Conic<F> q = conic_of(f);
  const F half(0.5f), two(2.0f);
  // d covariance = -Q dQ Q with symmetric dQ, whose off-diagonal element is half of d_conic.b.
  const F h = half * d_conic.b;
  const F left_xx = q.a * d_conic.a + q.b * h, left_xy = q.a * h + q.b * d_conic.c;
  const F left_yx = q.b * d_conic.a + q.c * h, left_yy = q.b * h + q.c * d_conic.c;
  F d_xx = -(left_xx * q.a + left_xy * q.b);
  F d_xy = -(left_xx * q.b + left_xy * q.c);
  F d_yy = -(left_yx * q.b + left_yy * q.c);
  // d rho^2 = (1 - rho^2) Q - dilation det(Q) I; zero where rho is clamped.
  const F rho2 = f.compensation * f.compensation;
  const F d_rho2 =
      keep(rho2 > F(kCompensationMin2 * 1.000001f), d_compensation / (two * f.compensation));
  const F diagonal = F(kDilation) / f.determinant, rest = F(1.0f) - rho2;
  d_xx = d_xx + d_rho2 * (rest * q.a - diagonal);
  d_xy = d_xy + d_rho2 * rest * q.b;
  d_yy = d_yy + d_rho2 * (rest * q.c - diagonal);
  const Vec3<F> a = axes_px.row0, b = axes_px.row1;
  return {(a * d_xx + b * d_xy) * two, (b * d_yy + a * d_xy) * two};
}

template <class F>
struct Response {
  F falloff;  // e^-sigma
  F alpha;    // min(kAlphaMax, opacity * falloff); skipped below kAlphaMin
};

/// The response of a splat at a pixel. (dx, dy) = splat mean - pixel centre, px.
template <class F>
MOTE_LANE Response<F> response_at(Conic<F> q, F opacity, F dx, F dy) {
  const F sigma = F(0.5f) * (q.a * dx * dx + q.c * dy * dy) + q.b * dx * dy;
  const F falloff = exp(-sigma);
  return {falloff, min(F(kAlphaMax), opacity * falloff)};
}

template <class F>
struct ResponseGradient {
  Conic<F> d_conic;
  F d_opacity, d_x, d_y;
};

/// A clamped alpha passes no gradient.
template <class F>
MOTE_LANE ResponseGradient<F> response_vjp(Conic<F> q, F opacity, F dx, F dy, F falloff,
                                           F d_alpha) {
  const F d = keep(opacity * falloff < F(kAlphaMax), d_alpha);
  const F d_sigma = -(d * opacity * falloff), half(0.5f);
  return {{d_sigma * half * dx * dx, d_sigma * dx * dy, d_sigma * half * dy * dy},
          d * falloff,
          d_sigma * (q.a * dx + q.b * dy),
          d_sigma * (q.b * dx + q.c * dy)};
}

template <class F>
struct BlendGradient {
  Vec3<F> d_color;
  F d_alpha;
};

/// The vjp of one splat's term in C = sum alpha_i T_i c_i + T_final background. `transmittance`: T
/// before the splat. `behind`: colour of all later terms, background included. `d_transmittance`:
/// dL/dT_final without the background's part.
template <class F>
MOTE_LANE BlendGradient<F> blend_vjp(F alpha, F transmittance, Vec3<F> color, Vec3<F> behind,
                                     F transmittance_final, Vec3<F> d_pixel, F d_transmittance) {
  const F inverse = F(1.0f) / (F(1.0f) - alpha);
  return {d_pixel * (alpha * transmittance),
          dot(d_pixel, color * transmittance - behind * inverse) -
              d_transmittance * transmittance_final * inverse};
}

}  // namespace mote
