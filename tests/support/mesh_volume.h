#pragma once

#include <cstdint>
#include <glm/geometric.hpp>

#include "meshes/triangle_mesh.h"

namespace mote {

/// The volume inside a closed mesh.
inline double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const glm::dvec3 a(mesh.corner(t, 0)), b(mesh.corner(t, 1)), c(mesh.corner(t, 2));
    sum += glm::dot(a, glm::cross(b, c)) / 6;
  }
  return sum;
}

}  // namespace mote
