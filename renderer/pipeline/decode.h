#pragma once

// The last stage of splats with features: the colour of one lane of pixels.

#include "cameras/view_camera.h"
#include "pipeline/projection.h"
#include "splats/kinds/feature_decoder.h"

namespace mote {

/// The direction, of length 1, of the ray through a point of the image, px, in the camera's world.
template <class F>
MOTE_LANE Vec3<F> ray_direction(const ViewCamera<F>& camera, F x, F y) {
  const Pinhole<F>& lens = camera.pinhole;
  const Vec3<F> in_camera{(x - lens.center_x) / lens.focal_x, (y - lens.center_y) / lens.focal_y,
                          F(1.0f)};
  return normalize(transpose_times(camera.cam_from_world, in_camera));
}

/// The colour at a point of the image, px. `marks`: the blended marks of splats; 0 changes nothing.
template <class F>
MOTE_LANE Vec3<F> pixel_color(const FeatureDecoder& decoder, const ViewCamera<F>& camera, F x, F y,
                              const PixelFeatures<F>& features, F marks) {
  return with_mark(
      decoded_color(decoder, features, camera.position_world, ray_direction(camera, x, y)), marks);
}

}  // namespace mote
