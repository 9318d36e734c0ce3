#include "scene/camera_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>

#include "core/error.h"

namespace mote {
namespace {

constexpr double kMargin = 1.15;  // the views show this factor times the radius

/// The angle between a view and the front, radians. Both ends of an arc get a view.
double angle_of(const OrbitOptions& options, int index) {
  const double arc = std::numbers::pi / 180 * options.degrees;
  if (options.degrees >= 360) return arc * index / options.count;
  return options.count > 1 ? arc * index / (options.count - 1) - arc / 2 : 0;
}

}  // namespace

Camera orbit_camera(const OrbitOptions& options) {
  Camera camera;
  camera.width = options.width;
  camera.height = options.height;
  const double focal =
      0.5 * std::min(options.width, options.height) / std::tan(0.5 * options.field_of_view);
  camera.focal_px = {focal, focal};
  camera.center_px = {0.5 * options.width, 0.5 * options.height};
  return camera;
}

glm::dvec3 orbit_eye(const SceneExtent& extent, const OrbitOptions& options, int index) {
  const glm::dvec3 up = glm::normalize(options.up_world);
  const glm::dvec3 helper = std::abs(up.z) < 0.9 ? glm::dvec3(0, 0, 1) : glm::dvec3(0, 1, 0);
  const glm::dvec3 right = glm::normalize(glm::cross(helper, up));
  const glm::dvec3 front = glm::cross(right, up);
  const double angle = angle_of(options, index);
  const glm::dvec3 outward = std::cos(angle) * front + std::sin(angle) * right;
  const double distance = kMargin * extent.radius / std::sin(0.5 * options.field_of_view);
  return extent.center +
         distance * (std::cos(options.elevation) * outward + std::sin(options.elevation) * up);
}

std::vector<View> orbit_views(const SceneExtent& extent, const OrbitOptions& options) {
  CHECK(options.count >= 1);
  std::vector<View> views;
  for (int i = 0; i < options.count; ++i) {
    View view{fmt::format("orbit_{:03}", i), orbit_camera(options)};
    look_at(view.camera, orbit_eye(extent, options, i), extent.center, options.up_world);
    views.push_back(std::move(view));
  }
  return views;
}

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
