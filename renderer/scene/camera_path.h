#pragma once

#include <glm/vec3.hpp>
#include <vector>

#include "cameras/camera.h"
#include "scene/similarity.h"

namespace mote {

/// Position and size of a scene, robust to a few outlying or faint splats.
struct SceneExtent {
  glm::dvec3 center{0, 0, 0};  // per axis: middle of the range between the quantiles 0.1 and 0.9
  double radius = 1;  // contains nearly all splats, or twice the radius that contains half of them
};

struct OrbitOptions {
  int count = 12;
  int width = 1280, height = 720;  // px
  glm::dvec3 up_world{0, -1, 0};   // in scenes from COLMAP and 3DGS, y points down
  double elevation = 0.26;         // angle of the cameras above the center, radians
  double field_of_view = 0.8;      // across the shorter side, radians
  /// Length of the arc. Below 360 it is centred on the first view of the full circle.
  double degrees = 360;
};

/// Views on a circle around the scene ("orbit_000", ...), evenly spaced. Each looks at the center
/// from the distance at which the extent fills the frame with a small margin.
std::vector<View> orbit_views(const SceneExtent& extent, const OrbitOptions& options);

/// Position of the camera of a view on the orbit, world.
glm::dvec3 orbit_eye(const SceneExtent& extent, const OrbitOptions& options, int index);

/// The camera of the orbit's views, without a pose.
Camera orbit_camera(const OrbitOptions& options);

/// The extent of a scene that is placed in the world.
SceneExtent placed_extent(const SceneExtent& extent, const Similarity& world_from_scene);

/// The smallest ball that contains both.
SceneExtent joint_extent(const SceneExtent& a, const SceneExtent& b);

}  // namespace mote
