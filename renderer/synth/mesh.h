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

/// The triangles of a scene. Their corners are counterclockwise when seen from outside.
struct Mesh {
  std::vector<vec3> positions;       // world, per vertex
  std::vector<vec3> normals;         // unit, per vertex
  std::vector<vec3> texture;         // coordinates for materials, per vertex
  std::vector<std::uint32_t> twins;  // the first vertex at the same position of the same surface
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::uint16_t> materials;  // per triangle

  std::size_t vertex_count() const { return positions.size(); }
};

/// A surface over the unit square: `columns` by `rows` quads, each split in two. Its front is seen
/// with u to the right and v upwards.
struct Patch {
  int columns = 1, rows = 1;
  bool closed_u = false, closed_v = false;  // the last column meets the first; the same for rows
  std::uint16_t material = 0;
  std::function<vec3(vec2 uv)> position;                // world
  std::function<vec3(vec2 uv, vec3 position)> texture;  // (u, v, 0) if empty
};

/// Appends the patch with the normals of the surface between its vertices.
void add_patch(Mesh& mesh, const Patch& patch);

}  // namespace mote::synth
