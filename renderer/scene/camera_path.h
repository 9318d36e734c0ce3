#pragma once

#include <glm/vec3.hpp>
#include <vector>

#include "cameras/camera.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Position and size of a scene, robust to a few outlying or faint splats.
struct SceneExtent {
  glm::dvec3 center{0, 0, 0};  // per axis: middle of the range without the outer fifth
  double radius = 1;  // contains nearly all splats, or twice the radius that contains half of them
};

/// Quantiles weighted by opacity over at most 2^17 evenly sampled splats. Returns the unit ball
/// around the origin where no splat is finite and visible.
SceneExtent scene_extent(const SplatCloud& cloud);

struct OrbitOptions {
  int count = 12;
  int width = 1280, height = 720;  // px
  glm::dvec3 up_world{0, -1, 0};   // scenes from COLMAP and 3DGS have y downwards
  double elevation = 0.26;         // of the cameras above the center, radians
  double field_of_view = 0.8;      // across the shorter side, radians
  // length of the arc; below 360 it is centred on the first view of the full circle
  double degrees = 360;
};

/// Views on a circle around the scene ("orbit_000", ...), evenly spaced. Each looks at the center
/// from the distance at which the extent fills the frame with a small margin.
std::vector<View> orbit_views(const SceneExtent& extent, const OrbitOptions& options);

/// A view from just in front of the surface that the first orbit view sees in its middle. There,
/// few splats fill the frame, which is the worst case for the frame rate.
View closeup_view(const SplatCloud& cloud, const SceneExtent& extent, const OrbitOptions& options);

}  // namespace mote
