#pragma once

// One splat seen by one camera: from stored parameters to its image quantities, and the vjp of the
// whole chain of math/, cameras/ and primitives/. The camera's pose has a gradient too.

#include "cameras/camera_floats.h"
#include "cameras/pinhole.h"
#include "math/activations.h"
#include "math/quaternion.h"
#include "math/spherical_harmonics.h"
#include "splats/kinds/gaussian.h"

namespace mote {

/// A splat's stored geometry.
template <class F>
struct SplatParameters {
  Vec3<F> mean_world, log_scale;
  Quaternion<F> rotation;
  F logit_opacity;
};

template <class F>
struct ViewCamera {
  Mat3<F> cam_from_world;
  Vec3<F> translation, position_world;
  Pinhole<F> pinhole;
};

/// The same in all lanes.
template <class F>
MOTE_LANE ViewCamera<F> view_camera(const CameraFloats& c) {
  const float *r = c.cam_from_world, *t = c.translation, *p = c.position_world;
  return {{{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}},
          {t[0], t[1], t[2]},
          {p[0], p[1], p[2]},
          make_pinhole<F>(c.focal_x, c.focal_y, c.center_x, c.center_y, c.width, c.height)};
}

template <class F>
struct GaussianView {
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
MOTE_LANE GaussianView<F> view_gaussian(const ViewCamera<F>& camera, const SplatParameters<F>& s) {
  GaussianView<F> v;
  v.p_cam = camera.cam_from_world * s.mean_world + camera.translation;
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

/// The gradients by the outputs of view_gaussian().
template <class F>
struct ViewGradient {
  PixelPoint<F> d_mean_px;
  Conic<F> d_conic;
  F d_log_opacity;      // dL/d ln(opacity as drawn), compensation included
  Vec3<F> d_direction;  // dL/d(unit vector from camera to splat), through the SH
};

template <class F>
struct SplatGradient {
  SplatParameters<F> d;
  // By p_cam -> p_cam + rotation x p_cam + translation, for small rotation and translation.
  Vec3<F> d_pose_rotation, d_pose_translation;
};

template <bool ANTIALIASED, class F>
MOTE_LANE SplatGradient<F> view_gaussian_vjp(const ViewCamera<F>& camera,
                                             const SplatParameters<F>& s, const GaussianView<F>& v,
                                             const ViewGradient<F>& g) {
  SplatGradient<F> out;
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

}  // namespace mote
