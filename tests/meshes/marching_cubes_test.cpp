// Surfaces of functions on grids: closed, in place, and with their outside outside.
#include "meshes/marching_cubes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <stdexcept>

#include "meshes/cube_cases.h"
#include "support/mesh_volume.h"

namespace mote {
namespace {

using Function = std::function<float(const glm::vec3&)>;

constexpr float kSide = 2;  // of the grid around 0

TriangleMesh surface(int points, const Function& function) {
  const float cell = kSide / static_cast<float>(points - 1);
  const SurfaceGrid grid{glm::vec3(-kSide / 2), glm::vec3(cell), {points, points, points}};
  return marching_cubes(grid, [&](int z, std::span<float> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto row = static_cast<std::size_t>(points);
      values[i] = function(grid.low + cell * glm::vec3(i % row, i / row, z));
    }
  });
}

/// Number of edges that are not those of two triangles in opposite directions.
std::size_t open_edges(const TriangleMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;
  for (const auto& triangle : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) ++uses[{triangle[k], triangle[(k + 1) % 3]}];
  }
  return static_cast<std::size_t>(std::ranges::count_if(uses, [&](const auto& use) {
    const auto other = uses.find({use.first.second, use.first.first});
    return use.second != 1 || other == uses.end() || other->second != 1;
  }));
}

double smallest_area(const TriangleMesh& mesh) {
  double least = std::numeric_limits<double>::max();
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const glm::dvec3 a(mesh.corner(t, 0)), b(mesh.corner(t, 1)), c(mesh.corner(t, 2));
    least = std::min(least, glm::length(glm::cross(b - a, c - a)));
  }
  return least;
}

float ball(const glm::vec3& p) {
  return glm::length(p) - 0.7f;
}

TEST(CubeCases, CrossEachEdgeWithOneCornerInside) {
  for (std::size_t inside = 0; inside < 256; ++inside) {
    std::array<bool, 12> used{};
    for (const CubeTriangle& triangle : cube_cases()[inside]) {
      for (const std::uint8_t edge : triangle) used[edge] = true;
    }
    for (int edge = 0; edge < 12; ++edge) {
      const CubeEdge ends = cube_edge(edge);
      const bool crossed = ((inside >> ends.from ^ inside >> ends.to) & 1) != 0;
      EXPECT_EQ(used[static_cast<std::size_t>(edge)], crossed) << inside << " " << edge;
    }
  }
}

TEST(MarchingCubes, FindABallWithItsVolumeAndNormals) {
  const TriangleMesh mesh = surface(65, ball);
  EXPECT_EQ(open_edges(mesh), 0u);
  EXPECT_NEAR(volume(mesh), 4 * std::numbers::pi / 3 * 0.343, 0.003);
  const std::vector<glm::vec3> normals = vertex_normals(mesh);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    EXPECT_NEAR(glm::length(mesh.positions[i]), 0.7f, 2e-4f);
    EXPECT_GT(glm::dot(normals[i], glm::normalize(mesh.positions[i])), 0.98f);
  }
}

TEST(MarchingCubes, AreClosedForRandomValues) {
  // Each of the 256 cases and each pair of neighbours occurs.
  for (const unsigned seed : {1u, 2u, 3u}) {
    std::mt19937 random(seed);
    const TriangleMesh mesh = surface(
        24, [&](const glm::vec3&) { return static_cast<float>(random() >> 8) * 0x1p-23f - 1; });
    EXPECT_GT(mesh.triangles.size(), 10000u);
    EXPECT_EQ(open_edges(mesh), 0u) << seed;
    EXPECT_GT(smallest_area(mesh), 0);
    EXPECT_GT(volume(mesh), 0);
  }
}

TEST(MarchingCubes, AreClosedWhereTheSurfaceLeavesTheGrid) {
  const TriangleMesh mesh = surface(17, [](const glm::vec3& p) { return p.x + 0.3f * p.y; });
  EXPECT_EQ(open_edges(mesh), 0u);
  EXPECT_NEAR(volume(mesh), 4, 0.3);
}

TEST(MarchingCubes, AreClosedWhereValuesAreZeroOrNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float values[] = {0,
                          -1,
                          1,
                          nan,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()};
  std::mt19937 random(5);
  const TriangleMesh mesh = surface(16, [&](const glm::vec3&) { return values[random() % 6]; });
  EXPECT_EQ(open_edges(mesh), 0u);
  for (const glm::vec3& p : mesh.positions) {
    EXPECT_LE(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}), kSide / 2);
  }
}

TEST(MarchingCubes, HaveNoTriangleWhereNothingIsInside) {
  EXPECT_TRUE(surface(9, [](const glm::vec3&) { return 1.0f; }).triangles.empty());
}

TEST(MarchingCubes, PassOnErrorsOfTheFunction) {
  EXPECT_THROW(surface(9, [](const glm::vec3&) -> float { throw std::runtime_error("stop"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace mote
