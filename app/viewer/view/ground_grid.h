#pragma once

// The grid on the plane through the world's origin that is perpendicular to the up direction.

#include <glm/vec3.hpp>
#include <vector>

namespace mote {

/// A piece of a line, world units.
struct GridLine {
  glm::dvec3 from{0}, to{0};
  double opacity = 1;  // falls to 0 away from the focus
  int axis = -1;       // 0 to 2: part of this axis of the world
};

/// The lines around the focus. Their spacing is a power of ten; the finer lines fade in as the
/// focus comes nearer, so that the spacing never jumps. `up`: not zero. `distance`: of the focus.
std::vector<GridLine> grid_lines(const glm::dvec3& focus, const glm::dvec3& up, double distance);

/// The spacing of the finer lines.
double grid_spacing(double distance);

}  // namespace mote
