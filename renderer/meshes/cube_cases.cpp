#include "meshes/cube_cases.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"

namespace mote {
namespace {

constexpr int kEdges = 12;

int edge_between(int a, int b) {
  for (int edge = 0; edge < kEdges; ++edge) {
    const CubeEdge ends = cube_edge(edge);
    if ((ends.from == a && ends.to == b) || (ends.from == b && ends.to == a)) return edge;
  }
  CHECK(false);
  return 0;
}

/// The corners of a face, counterclockwise as seen from outside the cube. Face 2 a + s is the one
/// at s on axis a.
std::array<int, 4> face_corners(int face) {
  const int axis = face / 2, side = face % 2;
  const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
  std::array<int, 4> corners{base, base + u, base + u + v, base + v};
  if (side == 0) std::ranges::reverse(corners);
  return corners;
}

bool share_a_face(int first, int second) {
  const auto bits = [](int edge) {
    const CubeEdge ends = cube_edge(edge);
    const int all = ends.from & ends.to, any = ends.from | ends.to;
    return all | (~any & 7) << 3;  // faces that contain the edge
  };
  return (bits(first) & bits(second)) != 0;
}

/// next[e]: the edge to which the surface goes on from edge e; -1 where it does not cross e. On a
/// face it goes from the edge where a walk around the face enters the inside to the edge where that
/// walk leaves it, so that it separates the inside corners of a face with two of them diagonally
/// opposite.
std::array<int, kEdges> face_segments(int inside) {
  std::array<int, kEdges> next;
  next.fill(-1);
  const auto is_inside = [&](int corner) { return (inside >> corner & 1) != 0; };
  for (int face = 0; face < 6; ++face) {
    const std::array<int, 4> corners = face_corners(face);
    const auto corner = [&](int i) { return corners[static_cast<std::size_t>(i % 4)]; };
    for (int i = 0; i < 4; ++i) {
      if (is_inside(corner(i)) || !is_inside(corner(i + 1))) continue;
      int leave = i + 1;
      while (is_inside(corner(leave + 1))) ++leave;
      const int enter_edge = edge_between(corner(i), corner(i + 1));
      next[static_cast<std::size_t>(enter_edge)] = edge_between(corner(leave), corner(leave + 1));
    }
  }
  return next;
}

/// Cuts a polygon of edges into triangles with the fewest diagonals in faces of the cube, where the
/// triangles of the neighbour could use the same line.
class PolygonCutting {
 public:
  explicit PolygonCutting(std::vector<int> loop) : loop_(std::move(loop)) {}

  void append_to(std::vector<CubeTriangle>& triangles) { append(0, loop_.size() - 1, triangles); }

 private:
  struct Cut {
    int cost = std::numeric_limits<int>::max();
    std::size_t middle = 0;
  };

  int diagonal_cost(std::size_t a, std::size_t b) const {
    const bool is_side = b == a + 1 || (a == 0 && b + 1 == loop_.size());
    return !is_side && share_a_face(loop_[a], loop_[b]) ? 1 : 0;
  }

  /// The cheapest cut of the part between corners a and b.
  Cut cut(std::size_t a, std::size_t b) const {
    if (b == a + 1) return {.cost = 0};
    Cut best;
    for (std::size_t middle = a + 1; middle < b; ++middle) {
      const int cost = diagonal_cost(a, middle) + diagonal_cost(middle, b) + cut(a, middle).cost +
                       cut(middle, b).cost;
      if (cost < best.cost) best = {cost, middle};
    }
    return best;
  }

  void append(std::size_t a, std::size_t b, std::vector<CubeTriangle>& triangles) const {
    if (b == a + 1) return;
    const std::size_t middle = cut(a, b).middle;
    const auto edge = [&](std::size_t i) { return static_cast<std::uint8_t>(loop_[i]); };
    triangles.push_back({edge(a), edge(middle), edge(b)});
    append(a, middle, triangles);
    append(middle, b, triangles);
  }

  std::vector<int> loop_;
};

std::vector<CubeTriangle> triangles_of(int inside) {
  std::array<int, kEdges> next = face_segments(inside);
  std::vector<CubeTriangle> triangles;
  for (int start = 0; start < kEdges; ++start) {
    std::vector<int> loop;
    for (int at = start; next[static_cast<std::size_t>(at)] >= 0;) {
      loop.push_back(at);
      at = std::exchange(next[static_cast<std::size_t>(at)], -1);
    }
    if (!loop.empty()) PolygonCutting(std::move(loop)).append_to(triangles);
  }
  return triangles;
}

}  // namespace

CubeEdge cube_edge(int edge) {
  const int axis = edge / 4, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
  const int low = std::min(u, v), high = std::max(u, v);
  const int from = (edge & 1) * low + (edge >> 1 & 1) * high;
  return {from, from + (1 << axis)};
}

const CubeCases& cube_cases() {
  static const CubeCases cases = [] {
    CubeCases made;
    for (int inside = 0; inside < 256; ++inside) {
      made[static_cast<std::size_t>(inside)] = triangles_of(inside);
    }
    return made;
  }();
  return cases;
}

}  // namespace mote
