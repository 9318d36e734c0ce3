#pragma once

// The directions that the points of a photograph show, for rays that follow the lens instead of a
// photograph from which the lens is removed (undistortion.h).

#include <array>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "cameras/lens.h"
#include "cameras/lens_chart.h"

namespace mote {

/// The inverse of a lens over one photograph. A coarse table of inverses, found from the middle
/// outwards, gives Newton's method its starts. Points that no direction maps to, or only directions
/// beyond a fold, have none. So do points where the lens squeezes directions to a fiftieth of the
/// middle's area, next to a fold. The table is in the normalised image plane and does not depend on
/// the size of the photograph.
class LensRays {
 public:
  /// A rectangle of slopes x/z, y/z.
  struct Slopes {
    glm::dvec2 least, most;
  };

  /// Throws Error, which names `where` and the parameters, where the lens folds in the middle of
  /// the image or leaves less than a tenth of it.
  LensRays(const Camera& camera, const Lens& lens, const std::string& where);

  const Lens& lens() const { return lens_; }
  /// The direction that the lens shows at a point of the normalised image plane, in camera axes and
  /// of length 1. Its relative error is about 1e-12.
  std::optional<glm::dvec3> direction(glm::dvec2 plane) const;
  /// Whether the point has a direction; faster than direction().
  bool sees(glm::dvec2 plane) const;
  /// Share of the image that has directions, 0 to 1.
  double seen_share() const { return seen_share_; }
  /// The largest angle of a direction to the view axis, radians, rounded up.
  double widest_rad() const { return widest_rad_; }
  /// Bounds of all directions; empty where one is more than 75 degrees off the view axis.
  const std::optional<Slopes>& slopes() const { return slopes_; }

 private:
  static constexpr int kCells = 32;  // of the table, along a side
  static constexpr int kNodes = kCells + 1;
  struct Node {
    glm::dvec2 point{0};  // of the chart
    bool seen = false;
  };
  /// The nodes at the corners of a cell, and the place in it.
  struct Corners {
    std::array<const Node*, 4> nodes;
    glm::dvec2 share;
    int seen = 0;
  };

  glm::dvec2 plane_of_node(int x, int y) const;
  Node& node(int x, int y) { return nodes_[static_cast<std::size_t>(y * kNodes + x)]; }
  Corners corners_at(glm::dvec2 plane) const;
  bool is_regular(glm::dvec2 point) const;
  bool are_joined(glm::dvec2 from, glm::dvec2 to) const;
  std::optional<glm::dvec2> solve(glm::dvec2 plane, glm::dvec2 start) const;
  std::optional<glm::dvec2> chart_point_at(glm::dvec2 plane) const;
  std::optional<glm::dvec2> chart_point_in(const Corners& corners, glm::dvec2 plane) const;
  void find_nodes(glm::dvec2 middle, glm::dvec2 middle_plane);
  void measure(glm::dvec2 middle);

  Lens lens_;
  LensChart chart_;
  glm::dvec2 least_, cell_;  // corner of the image and size of a cell, on the plane
  double least_density_ = 0;
  std::vector<Node> nodes_;  // empty for panoramas
  double seen_share_ = 1, widest_rad_ = 0;
  std::optional<Slopes> slopes_;
};

}  // namespace mote
