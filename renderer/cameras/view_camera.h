#pragma once

// A camera in the form that lane functions take.

#include "cameras/camera_floats.h"
#include "cameras/pinhole.h"
#include "math/vector.h"

namespace mote {

template <class F>
struct ViewCamera {
  Mat3<F> cam_from_world;
  Vec3<F> translation, position_world;
  Pinhole<F> pinhole;
  F scale;  // as in CameraFloats
};

/// The same in all lanes.
template <class F>
MOTE_LANE ViewCamera<F> view_camera(const CameraFloats& c) {
  const float *r = c.cam_from_world, *t = c.translation, *p = c.position_world;
  return {{{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}},
          {t[0], t[1], t[2]},
          {p[0], p[1], p[2]},
          make_pinhole<F>(c.focal_x, c.focal_y, c.center_x, c.center_y, c.width, c.height),
          c.scale};
}

/// A point of the world in the camera's frame.
template <class F>
MOTE_LANE Vec3<F> in_camera(const ViewCamera<F>& camera, Vec3<F> world) {
  return camera.cam_from_world * world + camera.translation;
}

/// Whether a point in the camera's frame is far enough in front of the camera to be drawn.
template <class F>
MOTE_LANE auto is_in_front(Vec3<F> p_cam) {
  return p_cam.z >= F(kNearPlane);
}

}  // namespace mote
