// The tree is built top down by the surface-area heuristic over bins (I. Wald, "On fast
// Construction of SAH-based Bounding Volume Hierarchies", 2007), two splits at a time. Triangles
// are intersected by the method of Möller and Trumbore ("Fast, Minimum Storage Ray/Triangle
// Intersection", 1997).
#include "synth/bvh.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <span>

#include "core/error.h"

namespace mote::synth {
namespace {

struct Bounds {
  vec3 low{kInfinity}, high{-kInfinity};

  void add(vec3 p) { low = glm::min(low, p), high = glm::max(high, p); }
  void add(const Bounds& other) {
    low = glm::min(low, other.low), high = glm::max(high, other.high);
  }
  float half_area() const {
    const vec3 size = glm::max(high - low, 0.0f);
    return size.x * size.y + size.y * size.z + size.z * size.x;
  }
};

struct Item {
  Bounds bounds;
  vec3 center;
  std::uint32_t triangle;
};

using Items = std::span<Item>;

/// The index at which to split a range: at the cheapest border of the bins along the longest axis,
/// or in the middle where all centres are equal.
std::size_t split(Items items) {
  constexpr int kBins = 16;
  Bounds centers;
  for (const Item& item : items) centers.add(item.center);
  const vec3 size = centers.high - centers.low;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  if (!(size[axis] > 0)) return items.size() / 2;
  const float scale = static_cast<float>(kBins) * 0.9999f / size[axis];
  const auto bin_of = [&](const Item& item) {
    return static_cast<std::size_t>((item.center[axis] - centers.low[axis]) * scale);
  };
  std::array<Bounds, kBins> bins;
  std::array<std::size_t, kBins> counts{};
  for (const Item& item : items) {
    bins[bin_of(item)].add(item.bounds);
    ++counts[bin_of(item)];
  }
  std::array<float, kBins> cost_right{};
  Bounds grown;
  std::size_t count = 0;
  for (std::size_t i = kBins; i-- > 1;) {
    grown.add(bins[i]);
    count += counts[i];
    cost_right[i] = count > 0 ? grown.half_area() * static_cast<float>(count) : 0;
  }
  grown = {};
  count = 0;
  std::size_t best = 0;
  float best_cost = kInfinity;
  for (std::size_t i = 0; i + 1 < kBins; ++i) {
    grown.add(bins[i]);
    count += counts[i];
    if (count == 0 || count == items.size()) continue;
    const float cost = grown.half_area() * static_cast<float>(count) + cost_right[i + 1];
    if (cost < best_cost) best_cost = cost, best = i;
  }
  const auto middle = std::partition(items.begin(), items.end(),
                                     [&](const Item& item) { return bin_of(item) <= best; });
  return static_cast<std::size_t>(middle - items.begin());
}

}  // namespace

struct Bvh::Builder {
  const Mesh& mesh;
  Bvh& bvh;

  void add_leaf(Items items) {
    for (std::size_t start = 0; start < items.size(); start += 4) {
      Packet packet{};
      for (std::size_t lane = 0; lane < 4; ++lane) {
        const bool used = start + lane < items.size();
        const Item& item = items[used ? start + lane : start];
        const auto& corners = mesh.triangles[item.triangle];
        const vec3 a = mesh.positions[corners[0]];
        // An unused lane holds a triangle without area, which no ray hits.
        const vec3 e1 = used ? mesh.positions[corners[1]] - a : vec3(0);
        const vec3 e2 = used ? mesh.positions[corners[2]] - a : vec3(0);
        for (int axis = 0; axis < 3; ++axis) {
          const auto k = static_cast<std::size_t>(axis);
          packet.corner[k][lane] = a[axis];
          packet.edge1[k][lane] = e1[axis];
          packet.edge2[k][lane] = e2[axis];
        }
        packet.triangles[lane] = item.triangle;
      }
      bvh.packets_.push_back(packet);
    }
  }

  std::uint32_t add_node(Items items) {
    std::array<Items, 4> parts{items};
    std::size_t count = 1;
    while (count < 4) {  // splits the largest part
      std::size_t largest = 0;
      for (std::size_t i = 1; i < count; ++i) {
        if (parts[i].size() > parts[largest].size()) largest = i;
      }
      if (parts[largest].size() <= 4) break;
      const Items part = parts[largest];
      const std::size_t middle = split(part);
      parts[largest] = part.first(middle);
      parts[count++] = part.subspan(middle);
    }
    const auto index = static_cast<std::uint32_t>(bvh.nodes_.size());
    bvh.nodes_.emplace_back();
    Node node{};
    node.children = static_cast<int>(count);
    for (std::size_t i = 0; i < 4; ++i) {
      Bounds bounds;
      for (const Item& item : parts[i]) bounds.add(item.bounds);
      for (int axis = 0; axis < 3; ++axis) {
        // The box of a missing child is inverted.
        node.low[static_cast<std::size_t>(axis)][i] = bounds.low[axis];
        node.high[static_cast<std::size_t>(axis)][i] = bounds.high[axis];
      }
      if (parts[i].empty()) continue;
      if (parts[i].size() <= 4) {
        node.first[i] = static_cast<std::uint32_t>(bvh.packets_.size());
        add_leaf(parts[i]);
        node.packets[i] = static_cast<std::uint32_t>(bvh.packets_.size()) - node.first[i];
      } else {
        node.first[i] = add_node(parts[i]);
      }
    }
    bvh.nodes_[index] = node;
    return index;
  }
};

Bvh::Bvh(const Mesh& mesh) {
  std::vector<Item> items;
  items.reserve(mesh.triangles.size());
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    Item item{.bounds = {}, .center = {}, .triangle = static_cast<std::uint32_t>(i)};
    for (const std::uint32_t corner : mesh.triangles[i]) item.bounds.add(mesh.positions[corner]);
    item.center = 0.5f * (item.bounds.low + item.bounds.high);
    items.push_back(item);
  }
  Builder{mesh, *this}.add_node(items);
}

bool Bvh::meet(const Packet& packet, const Ray& ray, Hit& hit) {
  constexpr float kLeastDeterminant = 1e-20f;
  const auto& d = ray.direction;
  const auto& e1 = packet.edge1;
  const auto& e2 = packet.edge2;
  const std::array<Four, 3> p{d.y * e2[2] - d.z * e2[1], d.z * e2[0] - d.x * e2[2],
                              d.x * e2[1] - d.y * e2[0]};
  const Four determinant = e1[0] * p[0] + e1[1] * p[1] + e1[2] * p[2];
  const std::array<Four, 3> s{ray.origin.x - packet.corner[0], ray.origin.y - packet.corner[1],
                              ray.origin.z - packet.corner[2]};
  const Four inverse = 1.0f / determinant;
  const Four u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) * inverse;
  const std::array<Four, 3> q{s[1] * e1[2] - s[2] * e1[1], s[2] * e1[0] - s[0] * e1[2],
                              s[0] * e1[1] - s[1] * e1[0]};
  const Four v = (d.x * q[0] + d.y * q[1] + d.z * q[2]) * inverse;
  const Four t = (e2[0] * q[0] + e2[1] * q[1] + e2[2] * q[2]) * inverse;
  const auto inside = (u >= 0.0f) & (v >= 0.0f) & (u + v <= 1.0f) & (t > 0.0f) &
                      (t < hit.distance) & (determinant * determinant > kLeastDeterminant);
  using Halves = std::int64_t __attribute__((vector_size(16)));
  const auto halves = reinterpret_cast<Halves>(inside);
  if ((halves[0] | halves[1]) == 0) return false;
  bool met = false;
  for (std::size_t lane = 0; lane < 4; ++lane) {
    if (inside[lane] == 0 || !(t[lane] < hit.distance)) continue;
    hit = {t[lane], u[lane], v[lane], packet.triangles[lane]};
    met = true;
  }
  return met;
}

template <bool any>
bool Bvh::trace(const Ray& ray, float limit, Hit& hit) const {
  constexpr std::size_t kMaxStack = 256;
  struct Entry {
    std::uint32_t node;
    float distance;
  };
  const auto inverse_of = [](float x) {
    constexpr float kLeast = 1e-12f;  // avoids infinity times zero in the slab test
    return 1 / (std::abs(x) > kLeast ? x : std::copysign(kLeast, x));
  };
  const vec3 inverse(inverse_of(ray.direction.x), inverse_of(ray.direction.y),
                     inverse_of(ray.direction.z));
  std::array<Entry, kMaxStack> stack;
  std::size_t depth = 0;
  stack[depth++] = {0, 0};
  hit.distance = limit;
  bool found = false;
  while (depth > 0) {
    const Entry entry = stack[--depth];
    if (entry.distance >= hit.distance) continue;
    const Node& node = nodes_[entry.node];
    Four enter{0, 0, 0, 0};
    Four leave{hit.distance, hit.distance, hit.distance, hit.distance};
    for (int axis = 0; axis < 3; ++axis) {
      const auto k = static_cast<std::size_t>(axis);
      const Four a = (node.low[k] - ray.origin[axis]) * inverse[axis];
      const Four b = (node.high[k] - ray.origin[axis]) * inverse[axis];
      const Four near = a < b ? a : b, far = a < b ? b : a;
      enter = near > enter ? near : enter;
      leave = far < leave ? far : leave;
    }
    const std::size_t base = depth;
    for (std::size_t i = 0; i < static_cast<std::size_t>(node.children); ++i) {
      if (!(enter[i] <= leave[i])) continue;
      if (node.packets[i] > 0) {
        for (std::uint32_t k = 0; k < node.packets[i]; ++k) {
          if (meet(packets_[node.first[i] + k], ray, hit)) {
            if (any) return true;
            found = true;
          }
        }
      } else {
        CHECK(depth < kMaxStack);
        std::size_t place = depth++;  // the nearest child is on top
        for (; place > base && stack[place - 1].distance < enter[i]; --place) {
          stack[place] = stack[place - 1];
        }
        stack[place] = {node.first[i], enter[i]};
      }
    }
  }
  return found;
}

bool Bvh::first_hit(const Ray& ray, float limit, Hit& hit) const {
  return trace<false>(ray, limit, hit);
}

bool Bvh::is_blocked(const Ray& ray, float limit) const {
  Hit hit{};
  return trace<true>(ray, limit, hit);
}

}  // namespace mote::synth
