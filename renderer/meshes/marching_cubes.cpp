#include "meshes/marching_cubes.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <utility>

#include "core/error.h"
#include "meshes/cube_cases.h"

namespace mote {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr float kOutside = std::numeric_limits<float>::min();  // just above the surface
// Vertices keep this distance from the points of the grid, in cells, so that no triangle is flat.
constexpr float kEnd = 1e-3f;

class Marching {
 public:
  Marching(const SurfaceGrid& grid, const FillPlane& fill)
      : grid_(grid), fill_(fill), width_(size(0)), plane_(size(0) * size(1)) {
    for (Plane* plane : {&low_, &high_}) plane->values.resize(plane_);
  }

  TriangleMesh march() {
    read(0, low_);
    for (int z = 1; z < grid_.points[2]; ++z) {
      read(z, high_);
      upright_.assign(plane_, kNone);
      for (int y = 0; y + 1 < grid_.points[1]; ++y) march_row(y, z - 1);
      std::swap(low_, high_);
    }
    return std::move(mesh_);
  }

 private:
  /// The points at one z, and the vertices on the edges between them.
  struct Plane {
    std::vector<float> values;
    std::array<std::vector<std::uint32_t>, 2> vertices;  // on edges along x and along y
  };

  std::size_t size(std::size_t axis) const { return static_cast<std::size_t>(grid_.points[axis]); }

  void read(int z, Plane& plane) {
    fill_(z, plane.values);
    for (auto& vertices : plane.vertices) vertices.assign(plane_, kNone);
    const bool is_side = z == 0 || z + 1 == grid_.points[2];
    for (std::size_t i = 0; i < plane_; ++i) {
      const std::size_t x = i % width_, y = i / width_;
      if (is_side || x == 0 || y == 0 || x + 1 == width_ || y + 1 == size(1)) {
        plane.values[i] = std::max(plane.values[i], kOutside);
      }
    }
  }

  void march_row(int y, int z) {
    const std::size_t row = static_cast<std::size_t>(y) * width_;
    for (int x = 0; x + 1 < grid_.points[0]; ++x) {
      const std::size_t at = row + static_cast<std::size_t>(x);
      std::size_t inside = 0;
      for (int corner = 0; corner < 8; ++corner) {
        inside |= static_cast<std::size_t>(value(at, corner) < 0) << corner;
      }
      if (inside == 0 || inside == 255) continue;
      for (const CubeTriangle& triangle : cases_[inside]) add(triangle, at, {x, y, z});
    }
  }

  /// The place in a plane of a corner of the cube whose corner 0 is at `at`.
  std::size_t index(std::size_t at, int corner) const {
    return at + ((corner & 1) != 0 ? 1 : 0) + ((corner & 2) != 0 ? width_ : 0);
  }
  float value(std::size_t at, int corner) const {
    return ((corner & 4) != 0 ? high_ : low_).values[index(at, corner)];
  }

  void add(const CubeTriangle& triangle, std::size_t at, const glm::ivec3& cube) {
    if (mesh_.triangles.size() == kMostSurfaceTriangles) {
      throw Error("has too many triangles", "the surface", "lower --resolution");
    }
    mesh_.triangles.push_back({vertex(triangle[0], at, cube), vertex(triangle[1], at, cube),
                               vertex(triangle[2], at, cube)});
  }

  std::uint32_t vertex(int edge, std::size_t at, const glm::ivec3& cube) {
    const CubeEdge ends = cube_edge(edge);
    const int axis = edge / 4;
    auto& vertices =
        axis == 2 ? upright_
                  : ((ends.from & 4) != 0 ? high_ : low_).vertices[static_cast<std::size_t>(axis)];
    std::uint32_t& known = vertices[index(at, ends.from)];
    if (known == kNone) {
      known = static_cast<std::uint32_t>(mesh_.positions.size());
      const float from = value(at, ends.from), to = value(at, ends.to);
      float part = from / (from - to);
      part = std::isfinite(part) ? std::clamp(part, kEnd, 1 - kEnd) : 0.5f;
      glm::vec3 place(cube + glm::ivec3(ends.from & 1, ends.from >> 1 & 1, ends.from >> 2 & 1));
      place[axis] += part;
      mesh_.positions.push_back(grid_.low + grid_.cell * place);
    }
    return known;
  }

  const SurfaceGrid& grid_;
  const FillPlane& fill_;
  const std::size_t width_, plane_;  // points of a row and of a plane
  const CubeCases& cases_ = cube_cases();
  Plane low_, high_;
  std::vector<std::uint32_t> upright_;  // vertices on edges along z
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh marching_cubes(const SurfaceGrid& grid, const FillPlane& fill) {
  CHECK(*std::ranges::min_element(grid.points) >= 2);
  return Marching(grid, fill).march();
}

std::vector<glm::vec3> vertex_normals(const TriangleMesh& mesh) {
  std::vector<glm::vec3> normals(mesh.positions.size(), glm::vec3(0));
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const glm::vec3 a = mesh.corner(t, 0);
    const glm::vec3 area = glm::cross(mesh.corner(t, 1) - a, mesh.corner(t, 2) - a);
    for (const std::uint32_t corner : mesh.triangles[t]) normals[corner] += area;
  }
  for (glm::vec3& normal : normals) {
    const float length = glm::length(normal);
    normal = length > 0 ? normal / length : glm::vec3(0);
  }
  return normals;
}

}  // namespace mote
