#pragma once

#include <cmath>
#include <glm/geometric.hpp>

#include "synth/bvh.h"
#include "synth/sampling.h"
#include "synth/scene.h"

namespace mote::synth {

/// The input of shading at a hit.
struct SurfacePoint {
  vec3 position, normal, face_normal;  // world; unit normals
  std::array<std::uint32_t, 3> corners;
  vec3 weights;  // weights of the corners, with sum 1
  std::uint32_t triangle;

  template <class T>
  T interpolate(const std::vector<T>& values) const {
    return weights.x * values[corners[0]] + weights.y * values[corners[1]] +
           weights.z * values[corners[2]];
  }
};

inline SurfacePoint surface_point(const Mesh& mesh, const Hit& hit) {
  SurfacePoint point{};
  point.triangle = hit.triangle;
  point.corners = mesh.triangles[hit.triangle];
  point.weights = {1 - hit.u - hit.v, hit.u, hit.v};
  // Computed from the triangle: along the ray, the rounding error would exceed the offset of new
  // rays.
  point.position = point.interpolate(mesh.positions);
  const vec3 a = mesh.positions[point.corners[0]];
  point.face_normal = glm::normalize(
      glm::cross(mesh.positions[point.corners[1]] - a, mesh.positions[point.corners[2]] - a));
  point.normal = glm::normalize(point.interpolate(mesh.normals));
  return point;
}

inline Surface surface_at(const Scene& scene, const SurfacePoint& point) {
  return scene.materials[scene.mesh.materials[point.triangle]](
      point.interpolate(scene.mesh.texture));
}

/// The origin of rays that leave a surface, so that they do not hit it again: moved from the
/// triangle to the curved surface that it approximates (J. Hanika, "Hacking the Shadow Terminator",
/// Ray Tracing Gems II, 2021).
inline vec3 leaving_position(const Mesh& mesh, const SurfacePoint& point) {
  constexpr float kGap = 1e-4f;  // world
  vec3 raised = point.position;
  for (int k = 0; k < 3; ++k) {
    const std::uint32_t corner = point.corners[static_cast<std::size_t>(k)];
    const vec3 normal = mesh.normals[corner];
    const float below = std::fmin(0.0f, glm::dot(point.position - mesh.positions[corner], normal));
    raised -= point.weights[k] * below * normal;
  }
  return raised + kGap * point.face_normal;
}

/// Irradiance at a point if the whole key light shone from one position; zero if that is occluded.
/// `at` in [0, 1)^2 selects the position.
inline vec3 key_irradiance(const Scene& scene, const Bvh& bvh, vec3 position, vec3 normal,
                           vec2 at) {
  const AreaLight& key = scene.key;
  const vec3 area = 4.0f * glm::cross(key.half_u, key.half_v);
  const vec3 place = key.center + (2 * at.x - 1) * key.half_u + (2 * at.y - 1) * key.half_v;
  const vec3 towards = place - position;
  const float distance2 = glm::dot(towards, towards);
  const float cosine = glm::dot(towards, normal), light_cosine = -glm::dot(towards, area);
  if (!(cosine > 0 && light_cosine > 0)) return vec3(0);
  if (bvh.is_blocked({position, towards}, 0.999f)) return vec3(0);
  return key.radiance * (cosine * light_cosine / (distance2 * distance2));
}

}  // namespace mote::synth
