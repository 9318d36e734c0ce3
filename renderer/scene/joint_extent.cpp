#include "scene/joint_extent.h"

#include <glm/geometric.hpp>

namespace mote {

SceneExtent placed_extent(const SceneExtent& extent, const Similarity& world_from_scene) {
  const Similarity& t = world_from_scene;
  return {t.scale * (t.rotation * extent.center) + t.translation, t.scale * extent.radius};
}

SceneExtent joint_extent(const SceneExtent& a, const SceneExtent& b) {
  const glm::dvec3 way = b.center - a.center;
  const double distance = glm::length(way);
  if (distance + b.radius <= a.radius) return a;
  if (distance + a.radius <= b.radius) return b;
  const double radius = 0.5 * (distance + a.radius + b.radius);
  return {a.center + (radius - a.radius) / distance * way, radius};
}

}  // namespace mote
