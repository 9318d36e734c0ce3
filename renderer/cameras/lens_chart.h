#pragma once

// The maps of lenses in coordinates of directions in which they are smooth, so that Newton's method
// inverts them. Unlike distort() of cameras/lens.h, they also cover directions beside and behind
// the camera.

#include <glm/mat2x2.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include "cameras/lens.h"

namespace mote {

/// Coordinates of directions in camera axes. They depend on the kind of lens.
enum class LensChart {
  slopes,  // x/z and y/z; directions in front of the camera only
  angles,  // the angle to the view axis, along the unit vector of x and y
  sphere,  // longitude atan2(x, z) and latitude asin(y), radians
};

LensChart chart_of(LensKind kind);

/// The coordinates of a direction of any length. Not finite where the chart does not have it.
glm::dvec2 chart_point(LensChart chart, glm::dvec3 direction);

/// The direction with these coordinates. The length is 1.
glm::dvec3 chart_direction(LensChart chart, glm::dvec2 point);

/// d(solid angle) / d(area of the chart).
double solid_angle_per_area(LensChart chart, glm::dvec2 point);

/// The point of the normalised image plane that shows the direction with these coordinates. Not
/// finite where the lens sees nothing.
glm::dvec2 chart_to_plane(const Lens& lens, glm::dvec2 point);

/// chart_to_plane() and its derivative, d plane / d point; column j is by component j.
struct ChartMap {
  glm::dvec2 plane;
  glm::dmat2 jacobian;
};
ChartMap chart_map(const Lens& lens, glm::dvec2 point);

/// The point of the normalised image plane that shows a direction in camera axes, of any length. It
/// may lie beyond a fold of the lens. Not finite where the lens sees nothing.
glm::dvec2 project(const Lens& lens, glm::dvec3 direction);

}  // namespace mote
