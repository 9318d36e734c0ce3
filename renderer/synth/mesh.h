#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <vector>

namespace mote::synth {

using glm::vec2;
using glm::vec3;

/// Triangles of a whole scene. Seen from where the normals point to, triangles turn
/// counterclockwise.
struct Mesh {
  std::vector<vec3> positions;       // world, a vertex each
  std::vector<vec3> normals;         // unit, a vertex each
  std::vector<vec3> texture;         // where materials look themselves up, a vertex each
  std::vector<std::uint32_t> twins;  // the first vertex at the same place of the same surface
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::uint16_t> materials;  // a triangle each

  std::size_t vertex_count() const { return positions.size(); }
};

/// A surface over the unit square: `columns` by `rows` quads, each cut in two. With u running right
/// and v upwards it is seen from its front.
struct Patch {
  int columns = 1, rows = 1;
  bool closed_u = false, closed_v = false;  // the last column meets the first; so the rows
  std::uint16_t material = 0;
  std::function<vec3(vec2 uv)> position;                // world
  std::function<vec3(vec2 uv, vec3 position)> texture;  // (u, v, 0) where empty
};

/// Appends the patch; its normals are those of the surface between its vertices.
void add_patch(Mesh& mesh, const Patch& patch);

}  // namespace mote::synth
