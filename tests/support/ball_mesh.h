#pragma once

// A closed mesh for tests: a ball of quads along circles of latitude.

#include <cmath>
#include <cstdint>

#include "meshes/triangle_mesh.h"

namespace mote {

/// A ball of radius 1 at the origin with 2 * rings * rings quads or so. Triangles of the first
/// `open` rings from the north pole are left out.
inline TriangleMesh ball_mesh(std::uint32_t rings, std::uint32_t open = 0) {
  TriangleMesh mesh;
  const std::uint32_t around = 2 * rings;
  constexpr double kPi = 3.14159265358979;
  for (std::uint32_t i = 0; i <= rings; ++i) {
    for (std::uint32_t j = 0; j < around; ++j) {
      const double down = kPi * i / rings, turn = 2 * kPi * j / around;
      mesh.positions.push_back(glm::vec3(std::sin(down) * std::cos(turn),
                                         std::sin(down) * std::sin(turn), std::cos(down)));
    }
  }
  for (std::uint32_t i = open; i < rings; ++i) {
    for (std::uint32_t j = 0; j < around; ++j) {
      const std::uint32_t a = i * around + j, b = i * around + (j + 1) % around;
      const std::uint32_t c = a + around, d = b + around;
      if (i > 0) mesh.triangles.push_back({a, c, b});
      if (i + 1 < rings) mesh.triangles.push_back({b, c, d});
    }
  }
  return mesh;
}

}  // namespace mote
