#include "synth/mesh.h"

#include <glm/geometric.hpp>

#include "core/error.h"

namespace mote::synth {

void add_patch(Mesh& mesh, const Patch& patch) {
  constexpr float kLeastArea = 1e-8f;  // world
  CHECK(patch.columns > 0 && patch.rows > 0 && patch.position);
  const auto first = static_cast<std::uint32_t>(mesh.vertex_count());
  const auto columns = static_cast<std::uint32_t>(patch.columns);
  const auto rows = static_cast<std::uint32_t>(patch.rows);
  const auto vertex = [&](std::uint32_t i, std::uint32_t j) {
    return first + j * (columns + 1) + i;
  };
  for (std::uint32_t j = 0; j <= rows; ++j) {
    for (std::uint32_t i = 0; i <= columns; ++i) {
      const vec2 uv(static_cast<float>(i) / static_cast<float>(columns),
                    static_cast<float>(j) / static_cast<float>(rows));
      const std::uint32_t twin =
          vertex(patch.closed_u && i == columns ? 0 : i, patch.closed_v && j == rows ? 0 : j);
      // Joined ends have exactly the same position.
      const vec3 position = twin == mesh.vertex_count() ? patch.position(uv) : mesh.positions[twin];
      mesh.positions.push_back(position);
      mesh.texture.push_back(patch.texture ? patch.texture(uv, position) : vec3(uv, 0));
      mesh.twins.push_back(twin);
    }
  }
  mesh.normals.resize(mesh.vertex_count(), vec3(0));
  for (std::uint32_t j = 0; j < rows; ++j) {
    for (std::uint32_t i = 0; i < columns; ++i) {
      const std::uint32_t a = vertex(i, j), b = vertex(i + 1, j), c = vertex(i + 1, j + 1),
                          d = vertex(i, j + 1);
      for (const auto& corners : {std::array{a, b, c}, std::array{a, c, d}}) {
        const vec3 p = mesh.positions[corners[0]];
        const vec3 doubled_area =
            glm::cross(mesh.positions[corners[1]] - p, mesh.positions[corners[2]] - p);
        // At a pole a triangle's area, and so its normal, is only rounding error.
        if (!(glm::length(doubled_area) > kLeastArea)) continue;
        mesh.triangles.push_back(corners);
        mesh.materials.push_back(patch.material);
        for (const std::uint32_t corner : corners) {
          mesh.normals[mesh.twins[corner]] += doubled_area;
        }
      }
    }
  }
  for (std::size_t i = first; i < mesh.vertex_count(); ++i) {
    vec3& normal = mesh.normals[i];
    if (mesh.twins[i] != i) {
      normal = mesh.normals[mesh.twins[i]];
    } else {
      const float length = glm::length(normal);
      normal = length > 0 ? normal / length : vec3(0, 0, 1);
    }
  }
}

}  // namespace mote::synth
