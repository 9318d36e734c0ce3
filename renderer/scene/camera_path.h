#pragma once

#include <glm/vec3.hpp>
#include <vector>

#include "cameras/camera.h"
#include "scene/splat_cloud.h"

namespace mote {

/// Where a scene is, whatever a few stray or faint splats say.
struct SceneExtent {
  glm::dvec3 center{0, 0, 0};  // axis by axis the middle of the range of all but the outer fifth
  double radius = 1;  // from there to nearly all splats, or twice as far as half of them reach
};

/// Quantiles weighted by opacity over at most 2^17 splats, taken evenly. The unit ball around the
/// origin where no splat is finite and visible.
SceneExtent scene_extent(const SplatCloud& cloud);

struct OrbitOptions {
  int count = 12;
  int width = 1280, height = 720;  // px
  glm::dvec3 up_world{0, -1, 0};   // scenes from COLMAP and 3DGS have y downwards
  double elevation = 0.26;         // of the cameras over the center, radians
  double field_of_view = 0.8;      // across the shorter side, radians
  double degrees = 360;            // of the circle, to both sides of the first view of a whole one
};

/// Views on a circle around the scene ("orbit_000", ...), evenly spaced, each looking at its center
/// from where the extent fills the frame with a small margin.
std::vector<View> orbit_views(const SceneExtent& extent, const OrbitOptions& options);

/// A view from just in front of the surface that the first view of the orbit sees in its middle:
/// few splats fill the frame there, which is where frame rates collapse.
View closeup_view(const SplatCloud& cloud, const SceneExtent& extent, const OrbitOptions& options);

}  // namespace mote
