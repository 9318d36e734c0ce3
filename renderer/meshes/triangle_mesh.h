#pragma once

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <string>
#include <vector>

namespace mote {

/// Triangles in the world. The outside of a closed mesh sees their corners counterclockwise.
struct TriangleMesh {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> colors = {};  // of the positions, display values from 0 to 1; empty: none
  std::vector<std::array<std::uint32_t, 3>> triangles;  // indices of positions
  std::vector<std::string> warnings;                    // about its file, as phrases

  glm::vec3 corner(std::uint32_t triangle, std::size_t which) const {
    return positions[triangles[triangle][which]];
  }
};

}  // namespace mote
