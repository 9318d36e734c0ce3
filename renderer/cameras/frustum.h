#pragma once

// Culling of whole clusters of splats before projection.

#include <cmath>

#include "cameras/camera_floats.h"
#include "cameras/pinhole.h"

namespace mote {

/// Splats near each other that are culled together. Their means lie in the box center +- half. No
/// splat extends further than `reach` from its mean.
struct Cluster {
  float center[3], half[3];
  float reach;  // world units; 0 where the cluster has nothing to draw
};

/// The view volume of a camera, as planes. A cluster behind one of them is invisible.
struct Frustum {
  struct Plane {
    float normal[3];  // inwards, in camera space
    float reach;      // extent of a splat of reach 1 across the plane
  };
  float cam_from_world[9];  // rows
  float translation[3];
  Plane planes[4];
};

/// `splat_scale`: factor on the size of the splats, drawn as Gaussians or as solids.
inline Frustum make_frustum(const CameraFloats& c, float splat_scale = 1) {
  Frustum f{};
  for (int i = 0; i < 9; ++i) f.cam_from_world[i] = c.cam_from_world[i];
  for (int i = 0; i < 3; ++i) f.translation[i] = c.translation[i];
  const auto camera =
      make_pinhole<float>(c.focal_x, c.focal_y, c.center_x, c.center_y, c.width, c.height);
  // The footprint grows with the Jacobian, whose slope is bounded, not with the true angle: a splat
  // extends at most scale * reach * focal / z * sqrt(1 + slope^2) pixels, plus the dilation or the
  // minimum size of a solid.
  const float margin_px = 2.0f * std::fmax(1.0f, splat_scale);
  const float slope_x = std::fmax(std::fabs(camera.slope_min_x), std::fabs(camera.slope_max_x));
  const float slope_y = std::fmax(std::fabs(camera.slope_min_y), std::fabs(camera.slope_max_y));
  const float reach_x = camera.focal_x * std::sqrt(1 + slope_x * slope_x);
  const float reach_y = camera.focal_y * std::sqrt(1 + slope_y * slope_y);
  f.planes[0] = {{camera.focal_x, 0, camera.center_x + margin_px}, reach_x};
  f.planes[1] = {{-camera.focal_x, 0, c.width + margin_px - camera.center_x}, reach_x};
  f.planes[2] = {{0, camera.focal_y, camera.center_y + margin_px}, reach_y};
  f.planes[3] = {{0, -camera.focal_y, c.height + margin_px - camera.center_y}, reach_y};
  for (Frustum::Plane& plane : f.planes) {
    // A solid lies behind a plane if its bounding sphere does, independent of the Jacobian.
    const float* n = plane.normal;
    const float length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    plane.reach = c.scale * splat_scale * std::fmax(plane.reach, length);
  }
  return f;
}

/// Whether any splat of the cluster may touch the image. Conservative: never false if one does.
MOTE_LANE bool may_see(const Frustum& f, const Cluster& cluster) {
  if (!(cluster.reach > 0)) return false;
  float center[3], half[3];
  for (int row = 0; row < 3; ++row) {
    const float* r = f.cam_from_world + row * 3;
    center[row] = f.translation[row];
    half[row] = 0;
    for (int axis = 0; axis < 3; ++axis) {
      center[row] += r[axis] * cluster.center[axis];
      half[row] += abs(r[axis]) * cluster.half[axis];
    }
  }
  // Bound on the rounding error of the box, relative to its coordinates.
  const float rounding = 1e-6f * (abs(center[0]) + abs(center[1]) + abs(center[2]));
  for (float& h : half) h += rounding;
  if (center[2] + half[2] < kNearPlane) return false;
  for (const Frustum::Plane& plane : f.planes) {
    float best = plane.reach * cluster.reach;
    for (int axis = 0; axis < 3; ++axis) {
      best += plane.normal[axis] * center[axis] + abs(plane.normal[axis]) * half[axis];
    }
    if (!(best >= 0)) return false;
  }
  return true;
}

}  // namespace mote
