#pragma once

#include <glm/geometric.hpp>
#include <glm/vec3.hpp>

#include "scene/similarity.h"

namespace mote {

/// The points p with dot(normal, p) = offset.
struct Plane {
  glm::dvec3 normal{0, 0, 1};  // of length 1
  double offset = 0;

  bool operator==(const Plane&) const = default;
};

/// before() maps the plane by the inverse of `similarity`, after() by `similarity` itself.
inline Plane after(const Similarity& similarity, const Plane& plane) {
  const glm::dvec3 normal = similarity.rotation * plane.normal;
  return {.normal = normal,
          .offset = similarity.scale * plane.offset + glm::dot(normal, similarity.translation)};
}
inline Plane before(const Similarity& similarity, const Plane& plane) {
  return {
      .normal = plane.normal * similarity.rotation,
      .offset = (plane.offset - glm::dot(plane.normal, similarity.translation)) / similarity.scale};
}

}  // namespace mote
