#include "meshes/mesh_distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <limits>
#include <numeric>

#include "core/error.h"

namespace mote {
namespace {

constexpr std::uint32_t kLeaf = 4;    // triangles
constexpr std::size_t kDeepest = 64;  // levels of the tree
constexpr float kFarEnough = 1.4f;    // reaches, from which a node counts as one area
constexpr float kUnbounded = std::numeric_limits<float>::max();
constexpr float kPi = 3.14159265358979f;

float squared(const glm::vec3& v) {
  return glm::dot(v, v);
}

/// The point of the triangle that is nearest to `p`, by the regions of its barycentric coordinates
/// (C. Ericson 2005, "Real-Time Collision Detection", 5.1.5).
glm::vec3 nearest_point(const glm::vec3& p, const glm::vec3& a, const glm::vec3& b,
                        const glm::vec3& c) {
  const glm::vec3 ab = b - a, ac = c - a, ap = p - a;
  const float d1 = glm::dot(ab, ap), d2 = glm::dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return a;
  const glm::vec3 bp = p - b;
  const float d3 = glm::dot(ab, bp), d4 = glm::dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return b;
  const float vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + d1 / (d1 - d3) * ab;
  const glm::vec3 cp = p - c;
  const float d5 = glm::dot(ab, cp), d6 = glm::dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return c;
  const float vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + d2 / (d2 - d6) * ac;
  const float va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    return b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b);
  }
  const float scale = 1 / (va + vb + vc);
  return a + vb * scale * ab + vc * scale * ac;
}

/// The solid angle of the triangle at the origin, from -2 pi to 2 pi (A. van Oosterom and J.
/// Strackee 1983, "The Solid Angle of a Plane Triangle").
float solid_angle(const glm::vec3& a, const glm::vec3& b, const glm::vec3& c) {
  const float la = glm::length(a), lb = glm::length(b), lc = glm::length(c);
  const float above = glm::dot(a, glm::cross(b, c));
  const float below =
      la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb;
  return 2 * std::atan2(above, below);
}

float squared_distance(const glm::vec3& p, const glm::vec3& low, const glm::vec3& high) {
  return squared(glm::max(glm::max(low - p, p - high), glm::vec3(0)));
}

}  // namespace

/// Splits the triangles at the median of their middles along the longest side of these.
struct MeshDistance::Builder {
  MeshDistance& tree;
  const TriangleMesh& mesh;
  std::vector<std::uint32_t> order;
  std::vector<glm::vec3> middles;

  void build(std::uint32_t begin, std::uint32_t end) {
    const std::size_t own = tree.nodes_.size();
    tree.nodes_.push_back(node_of(begin, end));
    if (end - begin <= kLeaf) {
      tree.nodes_[own].first = static_cast<std::uint32_t>(tree.triangles_.size());
      tree.nodes_[own].count = end - begin;
      for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint32_t t = order[i];
        tree.triangles_.push_back({mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2)});
      }
      return;
    }
    const std::uint32_t middle = begin + (end - begin) / 2;
    split(begin, middle, end);
    build(begin, middle);
    tree.nodes_[own].first = static_cast<std::uint32_t>(tree.nodes_.size());
    build(middle, end);
  }

  void split(std::uint32_t begin, std::uint32_t middle, std::uint32_t end) {
    glm::vec3 low(std::numeric_limits<float>::max()), high = -low;
    for (std::uint32_t i = begin; i < end; ++i) {
      low = glm::min(low, middles[order[i]]);
      high = glm::max(high, middles[order[i]]);
    }
    const glm::vec3 size = high - low;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const auto at = [&](std::uint32_t i) { return order.begin() + i; };
    std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t a, std::uint32_t b) {
      return middles[a][axis] < middles[b][axis];
    });
  }

  Node node_of(std::uint32_t begin, std::uint32_t end) const {
    Node node;
    node.low = glm::vec3(std::numeric_limits<float>::max());
    node.high = -node.low;
    glm::dvec3 center(0), area(0);
    double weight = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t t = order[i];
      const glm::vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2);
      node.low = glm::min(node.low, glm::min(a, glm::min(b, c)));
      node.high = glm::max(node.high, glm::max(a, glm::max(b, c)));
      const glm::dvec3 own = 0.5 * glm::cross(glm::dvec3(b - a), glm::dvec3(c - a));
      area += own;
      weight += glm::length(own);
      center += glm::length(own) * glm::dvec3(middles[t]);
    }
    node.center = weight > 0 ? glm::vec3(center / weight) : 0.5f * (node.low + node.high);
    node.area = glm::vec3(area);
    for (std::uint32_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        node.reach = std::max(node.reach, glm::distance(node.center, mesh.corner(order[i], k)));
      }
    }
    return node;
  }
};

MeshDistance::MeshDistance(const TriangleMesh& mesh) {
  CHECK(!mesh.triangles.empty());
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  Builder builder{*this, mesh, std::vector<std::uint32_t>(count), std::vector<glm::vec3>(count)};
  std::iota(builder.order.begin(), builder.order.end(), 0u);
  for (std::uint32_t t = 0; t < count; ++t) {
    builder.middles[t] = (mesh.corner(t, 0) + mesh.corner(t, 1) + mesh.corner(t, 2)) / 3.0f;
  }
  nodes_.reserve(count);
  triangles_.reserve(count);
  builder.build(0, count);
}

float MeshDistance::distance(const glm::vec3& point, float most) const {
  struct Waiting {
    std::uint32_t node;
    float squared;
  };
  std::array<Waiting, kDeepest> stack;
  std::size_t depth = 0;
  // A little more than the bound, so that a triangle at that distance is found.
  float best = most < kUnbounded ? most * most * 1.001f + 1e-12f : kUnbounded;
  stack[depth++] = {0, squared_distance(point, nodes_[0].low, nodes_[0].high)};
  while (depth > 0) {
    const Waiting next = stack[--depth];
    if (next.squared >= best) continue;
    const Node& node = nodes_[next.node];
    if (node.count > 0) {
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        const Triangle& t = triangles_[i];
        best = std::min(best, squared(point - nearest_point(point, t.a, t.b, t.c)));
      }
      continue;
    }
    const std::uint32_t children[] = {next.node + 1, node.first};
    const float near = squared_distance(point, nodes_[children[0]].low, nodes_[children[0]].high);
    const float far = squared_distance(point, nodes_[children[1]].low, nodes_[children[1]].high);
    // The nearer child is looked at first.
    const bool swapped = far < near;
    stack[depth++] = swapped ? Waiting{children[0], near} : Waiting{children[1], far};
    stack[depth++] = swapped ? Waiting{children[1], far} : Waiting{children[0], near};
  }
  return std::sqrt(best);
}

float MeshDistance::winding_number(const glm::vec3& point) const {
  std::array<std::uint32_t, kDeepest> stack;
  std::size_t depth = 0;
  float sum = 0;  // of solid angles
  stack[depth++] = 0;
  while (depth > 0) {
    const std::uint32_t at = stack[--depth];
    const Node& node = nodes_[at];
    const glm::vec3 to = node.center - point;
    const float square = squared(to);
    if (square > kFarEnough * kFarEnough * node.reach * node.reach) {
      sum += glm::dot(to, node.area) / (square * std::sqrt(square));
    } else if (node.count > 0) {
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        const Triangle& t = triangles_[i];
        sum += solid_angle(t.a - point, t.b - point, t.c - point);
      }
    } else {
      stack[depth++] = node.first;
      stack[depth++] = at + 1;
    }
  }
  return sum / (4 * kPi);
}

float MeshDistance::signed_distance(const glm::vec3& point, float most) const {
  const float size = distance(point, most);
  return winding_number(point) >= 0.5f ? -size : size;
}

}  // namespace mote
