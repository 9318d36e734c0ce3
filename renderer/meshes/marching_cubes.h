#pragma once

// The surface of a function on a grid, by marching cubes (W. Lorensen and H. Cline 1987).

#include <array>
#include <functional>
#include <glm/vec3.hpp>
#include <span>
#include <vector>

#include "meshes/triangle_mesh.h"

namespace mote {

/// Points low + cell * (x, y, z), from 0 up to but without `points`, at least 2 along each axis.
struct SurfaceGrid {
  glm::vec3 low{0}, cell{1};
  std::array<int, 3> points{2, 2, 2};
};

/// Writes the values of the points at one z: [y][x]. It is called in the order of z. It may throw.
using FillPlane = std::function<void(int z, std::span<float> values)>;

/// Returns the surface where values cross 0. Below 0 is inside; a value that is not a number is
/// outside, and so is each point of the grid's sides, so that the mesh is closed: two triangles
/// have each edge, in opposite directions. Has no triangle where nothing is inside. Memory: two
/// planes and the mesh. Throws Error for more than kMostSurfaceTriangles.
TriangleMesh marching_cubes(const SurfaceGrid& grid, const FillPlane& fill);
inline constexpr std::size_t kMostSurfaceTriangles = std::size_t{1} << 29;

/// A normal for each position: the mean of its triangles', weighted by their areas. Length 1, or 0
/// for a position without a triangle.
std::vector<glm::vec3> vertex_normals(const TriangleMesh& mesh);

}  // namespace mote
