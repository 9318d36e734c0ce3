#pragma once

// Projection of a splat in front of the camera: its position in the image and a bound on the pixels
// that it may touch.

#include "cameras/pinhole.h"
#include "splats/kinds/gaussian.h"
#include "splats/kinds/gaussian_block.h"

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
  F log2_opacity;               // as drawn, including compensation
  F extent_x, extent_y;         // half size of the bounding box of opacity * falloff = kAlphaMin
  decltype(F() >= F()) inside;  // whether that box meets the image and the splat can be drawn
};

/// Whether the bounding box of a projected splat meets the image and its ellipse can be drawn.
template <class F>
MOTE_LANE auto in_image(const ProjectedGaussian<F>& s, ImageBounds<F> image) {
  const F huge(1e30f),
      zero(0.0f);  // px^4; the ellipse's later terms would overflow above it
  return (s.footprint.determinant > zero) & (s.footprint.determinant < huge) &
         (s.mean_px.x + s.extent_x >= zero) & (s.mean_px.x - s.extent_x <= image.width) &
         (s.mean_px.y + s.extent_y >= zero) & (s.mean_px.y - s.extent_y <= image.height);
}

/// `scale` and `opacity` are activated values. Results are valid for p_cam.z >= kNearPlane.
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
  out.inside = (limit >= zero) & in_image(out, image);
  return out;
}

}  // namespace mote
