#pragma once

// The pinhole camera of EWA splatting (Zwicker et al. 2001) in the form of 3DGS. The centre is
// projected exactly. The extent uses the Jacobian at a point that is clamped to 15 % of the image
// size outside the image, since the affine approximation diverges far outside.

#include "math/vector.h"

namespace mote {

/// Nothing nearer than this view depth is drawn; world units.
inline constexpr float kNearPlane = 0.01f;
/// The point of the Jacobian may lie this fraction of the image size outside the image.
inline constexpr double kJacobianMargin = 0.15;

template <class F>
struct Pinhole {
  F focal_x, focal_y, center_x, center_y;  // px
  F slope_min_x, slope_max_x;              // clamp range of x/z in the Jacobian
  F slope_min_y, slope_max_y;
};

/// The lane form of a camera; focal lengths, principal point and image size in px.
template <class F>
MOTE_LANE Pinhole<F> make_pinhole(F focal_x, F focal_y, F center_x, F center_y, F width, F height) {
  const F low(static_cast<float>(-kJacobianMargin)), high(static_cast<float>(1 + kJacobianMargin));
  return {focal_x,
          focal_y,
          center_x,
          center_y,
          (low * width - center_x) / focal_x,
          (high * width - center_x) / focal_x,
          (low * height - center_y) / focal_y,
          (high * height - center_y) / focal_y};
}

template <class F>
struct PixelPoint {
  F x, y;
};

/// Pixel position of a point with z > 0.
template <class F>
MOTE_LANE PixelPoint<F> project(const Pinhole<F>& camera, Vec3<F> p_cam) {
  const F inverse_z = F(1.0f) / p_cam.z;
  return {fma(camera.focal_x, p_cam.x * inverse_z, camera.center_x),
          fma(camera.focal_y, p_cam.y * inverse_z, camera.center_y)};
}

/// dL/dp_cam of project().
template <class F>
MOTE_LANE Vec3<F> project_vjp(const Pinhole<F>& camera, Vec3<F> p_cam, PixelPoint<F> d_px) {
  const F inverse_z = F(1.0f) / p_cam.z;
  const F dx = d_px.x * camera.focal_x * inverse_z, dy = d_px.y * camera.focal_y * inverse_z;
  return {dx, dy, -((dx * p_cam.x + dy * p_cam.y) * inverse_z)};
}

/// d(pixel)/d(p_cam), with x/z and y/z clamped to the slopes of the camera.
template <class F>
MOTE_LANE Mat2x3<F> projection_jacobian(const Pinhole<F>& camera, Vec3<F> p_cam) {
  const F inverse_z = F(1.0f) / p_cam.z, zero(0.0f);
  const F slope_x = min(max(p_cam.x * inverse_z, camera.slope_min_x), camera.slope_max_x);
  const F slope_y = min(max(p_cam.y * inverse_z, camera.slope_min_y), camera.slope_max_y);
  const F scale_x = camera.focal_x * inverse_z, scale_y = camera.focal_y * inverse_z;
  return {{scale_x, zero, -(scale_x * slope_x)}, {zero, scale_y, -(scale_y * slope_y)}};
}

/// dL/dp_cam of projection_jacobian(); a clamped slope passes no gradient.
template <class F>
MOTE_LANE Vec3<F> projection_jacobian_vjp(const Pinhole<F>& camera, Vec3<F> p_cam,
                                          const Mat2x3<F>& d) {
  const F inverse_z = F(1.0f) / p_cam.z;
  const F raw_x = p_cam.x * inverse_z, raw_y = p_cam.y * inverse_z;
  const F slope_x = min(max(raw_x, camera.slope_min_x), camera.slope_max_x);
  const F slope_y = min(max(raw_y, camera.slope_min_y), camera.slope_max_y);
  const F scale_x = camera.focal_x * inverse_z, scale_y = camera.focal_y * inverse_z;
  const F d_scale_x = d.row0.x - d.row0.z * slope_x, d_scale_y = d.row1.y - d.row1.z * slope_y;
  const F inside_x =
      select(raw_x >= slope_x, F(1.0f), F(0.0f)) * select(raw_x <= slope_x, F(1.0f), F(0.0f));
  const F inside_y =
      select(raw_y >= slope_y, F(1.0f), F(0.0f)) * select(raw_y <= slope_y, F(1.0f), F(0.0f));
  const F d_raw_x = -(inside_x * scale_x * d.row0.z), d_raw_y = -(inside_y * scale_y * d.row1.z);
  const F d_z = d_scale_x * scale_x + d_scale_y * scale_y + d_raw_x * raw_x + d_raw_y * raw_y;
  return {d_raw_x * inverse_z, d_raw_y * inverse_z, -(d_z * inverse_z)};
}

}  // namespace mote
