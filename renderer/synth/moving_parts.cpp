#include "synth/moving_parts.h"

#include <cmath>
#include <glm/geometric.hpp>

namespace mote::synth {
namespace {

/// Appends everything but positions and normals. Returns the number of vertices before.
std::uint32_t append_topology(Mesh& mesh, const Mesh& part) {
  const auto first = static_cast<std::uint32_t>(mesh.vertex_count());
  mesh.texture.insert(mesh.texture.end(), part.texture.begin(), part.texture.end());
  mesh.materials.insert(mesh.materials.end(), part.materials.begin(), part.materials.end());
  for (const std::uint32_t twin : part.twins) mesh.twins.push_back(first + twin);
  for (const auto& [a, b, c] : part.triangles) {
    mesh.triangles.push_back({first + a, first + b, first + c});
  }
  return first;
}

}  // namespace

mat3 turn_about(vec3 axis, float angle_rad) {
  const float c = std::cos(angle_rad), s = std::sin(angle_rad), k = 1 - c;
  const vec3 a = axis;  // Rodrigues' formula, by columns
  return {{c + k * a.x * a.x, k * a.x * a.y + s * a.z, k * a.x * a.z - s * a.y},
          {k * a.y * a.x - s * a.z, c + k * a.y * a.y, k * a.y * a.z + s * a.x},
          {k * a.z * a.x + s * a.y, k * a.z * a.y - s * a.x, c + k * a.z * a.z}};
}

void add_placed(Mesh& mesh, const Mesh& part, const Placement& place) {
  append_topology(mesh, part);
  for (const vec3 position : part.positions) mesh.positions.push_back(place(position));
  for (const vec3 normal : part.normals) mesh.normals.push_back(place.rotation * normal);
}

void add_bent(Mesh& mesh, const Mesh& part, const std::function<vec3(vec3 local)>& bend) {
  const std::uint32_t first = append_topology(mesh, part);
  for (const vec3 position : part.positions) mesh.positions.push_back(bend(position));
  std::vector<vec3> sums(part.vertex_count(), vec3(0));
  for (const auto& triangle : part.triangles) {
    const vec3 p = mesh.positions[first + triangle[0]];
    const vec3 doubled_area = glm::cross(mesh.positions[first + triangle[1]] - p,
                                         mesh.positions[first + triangle[2]] - p);
    for (const std::uint32_t corner : triangle) sums[part.twins[corner]] += doubled_area;
  }
  for (std::size_t i = 0; i < part.vertex_count(); ++i) {
    const vec3 sum = sums[part.twins[i]];
    const float length = glm::length(sum);
    mesh.normals.push_back(length > 0 ? sum / length : part.normals[i]);
  }
}

Placement out_of_sight() {
  return {mat3(1), vec3(0, 0, -8)};
}

}  // namespace mote::synth
