#pragma once

// From a splat in front of the camera to where it stands in the image and which pixels it may
// touch.

#include "cameras/pinhole.h"
#include "primitives/gaussian.h"
#include "primitives/gaussian_block.h"

namespace mote {

/// Width and height of the image, px.
template <class F>
struct ImageBounds {
  F width, height;
};

template <class F>
struct ProjectedGaussian {
  PixelPoint<F> mean_px;
  Footprint<F> footprint;
  F log2_opacity;        // as drawn: compensation included
  F extent_x, extent_y;  // half size of the box around the ellipse opacity * falloff = kAlphaMin
  decltype(F() >= F()) inside;  // whether that box meets the image, and the splat can be drawn
};

/// `scale` and `opacity` as used, not as stored; p_cam.z >= kNearPlane where the result counts.
template <bool ANTIALIASED, class F>
MOTE_LANE ProjectedGaussian<F> project_gaussian(const Pinhole<F>& camera, ImageBounds<F> image,
                                                const Mat3<F>& cam_from_world, Vec3<F> p_cam,
                                                const Mat3<F>& splat_axes_world, F opacity) {
  ProjectedGaussian<F> out;
  out.footprint =
      footprint_from(projection_jacobian(camera, p_cam) * cam_from_world * splat_axes_world);
  if constexpr (ANTIALIASED) opacity = opacity * out.footprint.compensation;
  out.log2_opacity = log2(max(opacity, F(1e-20f)));
  const F limit = out.log2_opacity - F(kLog2AlphaMin), zero(0.0f);
  const F reach2 = max(limit, zero) * F(1.0f / kHalfLog2E);
  out.extent_x = sqrt(reach2 * out.footprint.covariance.xx);
  out.extent_y = sqrt(reach2 * out.footprint.covariance.yy);
  out.mean_px = project(camera, p_cam);
  // Beyond `huge` px^4 what follows from the ellipse would overflow.
  const F huge(1e30f);
  out.inside =
      (limit >= zero) & (out.footprint.determinant > zero) & (out.footprint.determinant < huge) &
      (out.mean_px.x + out.extent_x >= zero) & (out.mean_px.x - out.extent_x <= image.width) &
      (out.mean_px.y + out.extent_y >= zero) & (out.mean_px.y - out.extent_y <= image.height);
  return out;
}

}  // namespace mote
