#include "synth/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <numeric>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/interrupt.h"
#include "meshes/marching_cubes.h"
#include "synth/figure_shape.h"

namespace mote::synth {
namespace {

using glm::vec3;

constexpr int kBlock = 8;  // points along a side of the squares that are skipped at once

/// Cubic cells, `cells` of them along the vertical.
SurfaceGrid figure_grid(int cells) {
  const vec3 size = FigureShape::kHigh - FigureShape::kLow;
  const float cell = size.z / static_cast<float>(cells);
  const auto points = [&](float side) { return static_cast<int>(std::ceil(side / cell)) + 1; };
  return {.low = FigureShape::kLow,
          .cell = vec3(cell),
          .points = {points(size.x), points(size.y), points(size.z)}};
}

/// Fills one square of a plane. Where the surface is far from the square, one value stands for all
/// of its points.
void fill_block(const FigureShape& shape, const SurfaceGrid& grid, const glm::ivec3& first,
                std::span<float> values) {
  // The smooth values may exceed the distance; this share of them does not.
  constexpr float kSafe = 0.5f;
  const int right = std::min(first.x + kBlock, grid.points[0]);
  const int top = std::min(first.y + kBlock, grid.points[1]);
  const vec3 middle = grid.low + grid.cell * (vec3(first) + vec3(0.5f * kBlock, 0.5f * kBlock, 0));
  const float rough = shape.smooth_value(middle);
  const float reach = 0.75f * static_cast<float>(kBlock) * grid.cell.x + FigureShape::kRelief;
  const bool is_far = kSafe * std::abs(rough) > reach;
  for (int y = first.y; y < top; ++y) {
    for (int x = first.x; x < right; ++x) {
      values[static_cast<std::size_t>(y) * static_cast<std::size_t>(grid.points[0]) +
             static_cast<std::size_t>(x)] =
          is_far ? rough : shape.value(grid.low + grid.cell * vec3(x, y, first.z));
    }
  }
}

TriangleMesh march_figure(const FigureShape& shape, int cells, ThreadPool& threads,
                          const std::function<void(double)>& progress) {
  const SurfaceGrid grid = figure_grid(cells);
  const int columns = (grid.points[0] + kBlock - 1) / kBlock;
  const int rows = (grid.points[1] + kBlock - 1) / kBlock;
  return marching_cubes(grid, [&](int z, std::span<float> values) {
    threads.run(static_cast<std::size_t>(columns * rows), [&](std::size_t task, int) {
      const int block = static_cast<int>(task);
      fill_block(shape, grid, {block % columns * kBlock, block / columns * kBlock, z}, values);
    });
    throw_if_interrupted();
    progress(static_cast<double>(z + 1) / grid.points[2]);
  });
}

/// The root of a vertex in a forest of unions, with shorter paths afterwards.
std::uint32_t root_of(std::vector<std::uint32_t>& parents, std::uint32_t vertex) {
  while (parents[vertex] != vertex) {
    parents[vertex] = parents[parents[vertex]];
    vertex = parents[vertex];
  }
  return vertex;
}

/// The connected part of the mesh with the most vertices. The grid cuts off tips that are thinner
/// than its cells.
TriangleMesh largest_piece(const TriangleMesh& mesh) {
  std::vector<std::uint32_t> parents(mesh.positions.size());
  std::iota(parents.begin(), parents.end(), 0u);
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t corner : {triangle[1], triangle[2]}) {
      parents[root_of(parents, corner)] = root_of(parents, triangle[0]);
    }
  }
  std::vector<std::uint32_t> sizes(parents.size(), 0);
  for (std::uint32_t i = 0; i < parents.size(); ++i) ++sizes[root_of(parents, i)];
  const auto largest = static_cast<std::uint32_t>(std::ranges::max_element(sizes) - sizes.begin());
  TriangleMesh piece;
  std::vector<std::uint32_t> places(parents.size());
  for (std::uint32_t i = 0; i < parents.size(); ++i) {
    if (root_of(parents, i) != largest) continue;
    places[i] = static_cast<std::uint32_t>(piece.positions.size());
    piece.positions.push_back(mesh.positions[i]);
  }
  for (const auto& [a, b, c] : mesh.triangles) {
    if (root_of(parents, a) == largest)
      piece.triangles.push_back({places[a], places[b], places[c]});
  }
  return piece;
}

/// The number of cells with which a surface has `wanted` triangles, if it has `triangles` with
/// `cells`: the number grows with the square.
int scaled_cells(int cells, std::size_t triangles, int wanted) {
  return static_cast<int>(
      std::lround(cells * std::sqrt(static_cast<double>(wanted) / static_cast<double>(triangles))));
}

}  // namespace

TriangleMesh make_figure(const FigurePlan& plan, ThreadPool& threads,
                         const std::function<void(double)>& progress) {
  constexpr int kTrialCells = 160;
  CHECK(plan.triangles >= kLeastFigureTriangles && plan.triangles <= kMostFigureTriangles);
  const FigureShape shape(plan.seed);
  const auto ignore = [](double) {};
  const TriangleMesh trial = march_figure(shape, kTrialCells, threads, ignore);
  const int cells = scaled_cells(kTrialCells, trial.triangles.size(), plan.triangles);
  return largest_piece(march_figure(shape, cells, threads, progress));
}

}  // namespace mote::synth
