#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "synth/mesh.h"

namespace mote::synth {

/// Larger than any distance.
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Ray {
  vec3 origin, direction;  // world; the direction need not have unit length
};

/// The intersection of a ray and a triangle: origin + distance * direction, with barycentric
/// weights (1 - u - v, u, v) of the corners.
struct Hit {
  float distance, u, v;
  std::uint32_t triangle;
};

/// A bounding volume hierarchy of triangles with four children per node and packets of four
/// triangles in the leaves. The four boxes of a node, or triangles of a packet, are tested at once.
class Bvh {
 public:
  explicit Bvh(const Mesh& mesh);

  /// The nearest triangle at a distance above zero and below `limit`. Returns false where there is
  /// none.
  bool first_hit(const Ray& ray, float limit, Hit& hit) const;
  /// Whether there is any triangle in that range.
  bool is_blocked(const Ray& ray, float limit) const;

 private:
  using Four = float __attribute__((vector_size(16)));
  struct Node {
    std::array<Four, 3> low, high;         // boxes of the four children, per axis
    std::array<std::uint32_t, 4> first;    // node, or first packet of a leaf
    std::array<std::uint32_t, 4> packets;  // number in a leaf; 0: a node
    int children;
  };
  struct Packet {
    std::array<Four, 3> corner, edge1, edge2;
    std::array<std::uint32_t, 4> triangles;
  };
  struct Builder;

  template <bool any>
  bool trace(const Ray& ray, float limit, Hit& hit) const;
  static bool meet(const Packet& packet, const Ray& ray, Hit& hit);

  std::vector<Node> nodes_;
  std::vector<Packet> packets_;
};

}  // namespace mote::synth
