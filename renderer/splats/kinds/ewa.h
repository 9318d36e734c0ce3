#pragma once

// EWA splatting of ellipsoids (Zwicker et al. 2001; Kerbl et al. 2023): the footprint of stored
// parameters in the image, a bound on the pixels that it may touch, and the vjp of the whole chain,
// including the camera's pose. The antialiased kernel is that of Mip-Splatting (Yu et al. 2024).
// Kinds with three scales share this file.

#include "cameras/pinhole.h"
#include "cameras/view_camera.h"
#include "math/activations.h"
#include "math/quaternion.h"
#include "math/vector.h"
#include "splats/kinds/ellipse.h"

namespace mote {

inline constexpr float kDilation = 0.3f;             // px^2, added to the image covariance
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
  F determinant;       // computed from the axes; cancellation would lose it for thin splats
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

/// An ellipsoid in the image. `compensation` is part of the opacity already.
template <class F>
struct ProjectedEllipsoid {
  BoundingEllipse<F> bound;
  F limit;  // log2(opacity / kAlphaMin)
};

/// The image of an ellipsoid whose response falls to kAlphaMin at the distance sqrt(reach2(limit)),
/// in standard deviations, from its centre. `scale` and `opacity` are activated values. Results are
/// valid for p_cam.z >= kNearPlane.
template <bool ANTIALIASED, class F, class Reach2>
MOTE_LANE ProjectedEllipsoid<F> project_footprint(const ViewCamera<F>& camera, ImageBounds<F> image,
                                                  Vec3<F> p_cam, const Mat3<F>& splat_axes_world,
                                                  F opacity, const Reach2& reach2_of) {
  const Footprint<F> footprint = footprint_from(projection_jacobian(camera.pinhole, p_cam) *
                                                camera.cam_from_world * splat_axes_world);
  if constexpr (ANTIALIASED) opacity = opacity * footprint.compensation;
  ProjectedEllipsoid<F> out;
  out.bound.covariance = footprint.covariance;
  out.bound.determinant = footprint.determinant;
  out.bound.log2_opacity = log2(max(opacity, F(1e-20f)));
  out.limit = out.bound.log2_opacity - F(kLog2AlphaMin);
  const F zero(0.0f), reach2 = reach2_of(max(out.limit, zero));
  out.bound.extent_x = sqrt(reach2 * footprint.covariance.xx);
  out.bound.extent_y = sqrt(reach2 * footprint.covariance.yy);
  out.bound.mean_px = project(camera.pinhole, p_cam);
  out.bound.inside = (out.limit >= zero) & in_image(out.bound, image);
  return out;
}

/// The stored geometry of an ellipsoid.
template <class F>
struct EllipsoidParameters {
  Vec3<F> mean_world, log_scale;
  Quaternion<F> rotation;
  F logit_opacity;
};

template <class F>
struct EllipsoidView {
  Vec3<F> p_cam, scale;
  F opacity;  // before compensation
  Mat3<F> rotation, axes_world;
  /// Jacobian * cam_from_world; px_from_world * axes_world.
  Mat2x3<F> jacobian, px_from_world, axes_px;
  Footprint<F> footprint;
  Conic<F> conic;
  Vec3<F> offset_world;  // mean - camera position
};

template <class F>
MOTE_LANE EllipsoidView<F> view_ellipsoid(const ViewCamera<F>& camera,
                                          const EllipsoidParameters<F>& s) {
  EllipsoidView<F> v;
  v.p_cam = in_camera(camera, s.mean_world);
  v.scale = {exp(s.log_scale.x), exp(s.log_scale.y), exp(s.log_scale.z)};
  v.opacity = sigmoid(s.logit_opacity);
  v.rotation = rotation_from(s.rotation);
  v.axes_world = splat_axes(v.rotation, v.scale);
  v.jacobian = projection_jacobian(camera.pinhole, v.p_cam);
  v.px_from_world = v.jacobian * camera.cam_from_world;
  v.axes_px = v.px_from_world * v.axes_world;
  v.footprint = footprint_from(v.axes_px);
  v.conic = conic_of(v.footprint);
  v.offset_world = s.mean_world - camera.position_world;
  return v;
}

/// The gradients with respect to the outputs of view_ellipsoid().
template <class F>
struct EllipsoidViewGradient {
  PixelPoint<F> d_mean_px;
  Conic<F> d_conic;
  F d_log_opacity;      // dL/d ln(opacity as drawn), compensation included
  Vec3<F> d_direction;  // dL/d(unit vector from camera to splat), through the SH
};

template <class F>
struct EllipsoidGradient {
  EllipsoidParameters<F> d;
  // The pose's gradient is that of p_cam -> p_cam + rotation x p_cam + translation, for small
  // rotation and translation.
  Vec3<F> d_pose_rotation, d_pose_translation;
};

template <bool ANTIALIASED, class F>
MOTE_LANE EllipsoidGradient<F> view_ellipsoid_vjp(const ViewCamera<F>& camera,
                                                  const EllipsoidParameters<F>& s,
                                                  const EllipsoidView<F>& v,
                                                  const EllipsoidViewGradient<F>& g) {
  EllipsoidGradient<F> out;
  F d_compensation(0.0f);
  if constexpr (ANTIALIASED) d_compensation = g.d_log_opacity / v.footprint.compensation;
  out.d.logit_opacity = g.d_log_opacity * (F(1.0f) - v.opacity);

  const Mat2x3<F> d_axes_px = footprint_vjp(v.axes_px, v.footprint, g.d_conic, d_compensation);
  const Mat2x3<F> d_px_from_world = product_vjp_left(d_axes_px, v.axes_world);
  const SplatAxesGradient<F> d_axes =
      splat_axes_vjp(v.rotation, v.scale, product_vjp_right(d_axes_px, v.px_from_world));
  out.d.rotation = rotation_from_vjp(s.rotation, d_axes.d_rotation);
  out.d.log_scale = {exp_vjp(v.scale.x, d_axes.d_scale.x), exp_vjp(v.scale.y, d_axes.d_scale.y),
                     exp_vjp(v.scale.z, d_axes.d_scale.z)};

  const Mat2x3<F> d_jacobian = product_vjp_left(d_px_from_world, camera.cam_from_world);
  const Vec3<F> d_p_cam = project_vjp(camera.pinhole, v.p_cam, g.d_mean_px) +
                          projection_jacobian_vjp(camera.pinhole, v.p_cam, d_jacobian);
  const Vec3<F> d_offset = normalize_vjp(v.offset_world, g.d_direction);
  out.d.mean_world = transpose_times(camera.cam_from_world, d_p_cam) + d_offset;

  // The rotation affects p_cam and, through cam_from_world, the splat's axes. The translation
  // affects p_cam and, with opposite sign, the camera position in the SH direction.
  const Mat3<F> turned = product_vjp_right(d_jacobian, v.jacobian);
  out.d_pose_rotation = {
      v.p_cam.y * d_p_cam.z - v.p_cam.z * d_p_cam.y + turned.row2.y - turned.row1.z,
      v.p_cam.z * d_p_cam.x - v.p_cam.x * d_p_cam.z + turned.row0.z - turned.row2.x,
      v.p_cam.x * d_p_cam.y - v.p_cam.y * d_p_cam.x + turned.row1.x - turned.row0.y};
  out.d_pose_translation = d_p_cam + camera.cam_from_world * d_offset;
  return out;
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
