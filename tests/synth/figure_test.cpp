// The figure: closed, in one piece, without handles, of a stable volume, and with relief.
#include "synth/figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/common.hpp>
#include <glm/vec3.hpp>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/random.h"
#include "meshes/triangle_mesh.h"
#include "support/mesh_volume.h"
#include "synth/figure_shape.h"

namespace mote::synth {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

TriangleMesh figure_of(int triangles, std::uint32_t seed, int threads = 2) {
  ThreadPool pool(threads);
  return make_figure({.triangles = triangles, .seed = seed}, pool, [](double) {});
}

/// How often each edge is used in its direction.
std::map<Edge, int> uses_of_edges(const TriangleMesh& mesh) {
  std::map<Edge, int> uses;
  for (const auto& triangle : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) ++uses[{triangle[k], triangle[(k + 1) % 3]}];
  }
  return uses;
}

/// Number of connected parts, by a walk along the edges.
int pieces_of(const TriangleMesh& mesh, const std::map<Edge, int>& edges) {
  std::vector<std::vector<std::uint32_t>> neighbours(mesh.positions.size());
  for (const auto& [edge, uses] : edges) neighbours[edge.first].push_back(edge.second);
  std::vector<bool> seen(mesh.positions.size(), false);
  int pieces = 0;
  for (std::uint32_t start = 0; start < seen.size(); ++start) {
    if (seen[start]) continue;
    ++pieces;
    std::vector<std::uint32_t> open{start};
    seen[start] = true;
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t next : neighbours[at]) {
        if (!seen[next]) open.push_back(next);
        seen[next] = true;
      }
    }
  }
  return pieces;
}

void expect_closed_ball(const TriangleMesh& mesh) {
  const std::map<Edge, int> edges = uses_of_edges(mesh);
  for (const auto& [edge, uses] : edges) {
    const auto other = edges.find({edge.second, edge.first});
    ASSERT_TRUE(uses == 1 && other != edges.end() && other->second == 1)
        << edge.first << " " << edge.second;
  }
  const auto vertices = static_cast<std::int64_t>(mesh.positions.size());
  const auto sides = static_cast<std::int64_t>(edges.size() / 2);
  EXPECT_EQ(vertices - sides + static_cast<std::int64_t>(mesh.triangles.size()), 2);
  EXPECT_EQ(pieces_of(mesh, edges), 1);
}

TEST(Figure, IsClosedInOnePieceAndWithoutHandles) {
  double coarse_volume = 0;
  for (const int triangles : {50'000, 90'000}) {
    SCOPED_TRACE(triangles);
    const TriangleMesh mesh = figure_of(triangles, 42);
    EXPECT_NEAR(static_cast<double>(mesh.triangles.size()), triangles, 0.05 * triangles);
    expect_closed_ball(mesh);
    const double inside = volume(mesh);
    EXPECT_GT(inside, 0.3);
    if (coarse_volume > 0) {
      EXPECT_NEAR(inside, coarse_volume, 0.01 * inside);
    }
    coarse_volume = inside;
    glm::vec3 low(1e3f), high(-1e3f);
    for (const glm::vec3& p : mesh.positions) {
      low = glm::min(low, p);
      high = glm::max(high, p);
    }
    for (int axis = 0; axis < 3; ++axis) {  // the box does not cut it
      EXPECT_GT(low[axis], FigureShape::kLow[axis] + 0.005f) << axis;
      EXPECT_LT(high[axis], FigureShape::kHigh[axis] - 0.005f) << axis;
    }
    EXPECT_GT(high.z - low.z, 1.8f);
  }
}

/// Mean size of the shape's values at vertices, world units.
double mean_value_at(const TriangleMesh& mesh, const FigureShape& shape) {
  constexpr std::size_t kStep = 16;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < mesh.positions.size(); i += kStep, ++count) {
    sum += static_cast<double>(std::abs(shape.value(mesh.positions[i])));
  }
  return sum / count;
}

TEST(Figure, HasTheScalesOfItsSeedAndTheSameOnAnyNumberOfThreads) {
  const TriangleMesh mesh = figure_of(50'000, 7), again = figure_of(50'000, 7, 1);
  EXPECT_EQ(mesh.positions, again.positions);
  EXPECT_EQ(mesh.triangles, again.triangles);
  EXPECT_LT(mean_value_at(mesh, FigureShape(7)), 0.5 * mean_value_at(mesh, FigureShape(8)));
  expect_closed_ball(mesh);
}

TEST(FigureShape, HasReliefNearTheSurfaceAndNoneBeyondTheStatedRange) {
  const FigureShape shape(42);
  const glm::vec3 size = FigureShape::kHigh - FigureShape::kLow;
  Random random(3);
  int raised = 0;
  for (int i = 0; i < 20'000; ++i) {
    const glm::vec3 share(random.uniform(), random.uniform(), random.uniform());
    const glm::vec3 p = FigureShape::kLow + share * size;
    const float smooth = shape.smooth_value(p), value = shape.value(p);
    ASSERT_LE(std::abs(smooth - value), FigureShape::kRelief);
    if (std::abs(smooth) < 0.01f) raised += std::abs(smooth - value) > 0.002f;
  }
  EXPECT_GT(raised, 100);
}

}  // namespace
}  // namespace mote::synth
