#pragma once

// Distances to a triangle mesh. The sign is that of the generalised winding number, so that meshes
// with holes and with triangles of the wrong orientation have a sensible inside. Sources: A.
// Jacobson et al. 2013, "Robust Inside-Outside Segmentation using Generalized Winding Numbers"; G.
// Barill et al. 2018, "Fast Winding Numbers for Soups and Clouds", of whose expansion this is the
// first term.

#include <cstdint>
#include <glm/vec3.hpp>
#include <limits>
#include <vector>

#include "meshes/triangle_mesh.h"

namespace mote {

class MeshDistance {
 public:
  /// The mesh must have a triangle. It is not needed afterwards.
  explicit MeshDistance(const TriangleMesh& mesh);

  /// Distance to the nearest triangle, at least 0. `most`: an upper bound on it, if one is known.
  float distance(const glm::vec3& point, float most = std::numeric_limits<float>::max()) const;
  /// How many times the surface surrounds the point: 1 inside of a closed mesh, 0 outside. Closed
  /// meshes have an error of up to 0.2.
  float winding_number(const glm::vec3& point) const;
  /// The distance, negative where the winding number is at least a half.
  float signed_distance(const glm::vec3& point,
                        float most = std::numeric_limits<float>::max()) const;

 private:
  struct Triangle {
    glm::vec3 a, b, c;
  };
  /// A node of a tree in depth-first order. Its first child is the next node.
  struct Node {
    glm::vec3 low, high;      // box
    std::uint32_t first = 0;  // triangle of a leaf, or node of the second child
    std::uint32_t count = 0;  // triangles of a leaf; 0: a node with two children
    glm::vec3 center, area;   // of the triangles: mean weighted by area, sum of area vectors
    float reach = 0;          // distance of the farthest corner from `center`
  };
  struct Builder;

  std::vector<Node> nodes_;
  std::vector<Triangle> triangles_;  // in the order of the leaves
};

}  // namespace mote
