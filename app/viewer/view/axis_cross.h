#pragma once

// The small axis cross in a corner of the view: where its ends are drawn.

#include <array>
#include <glm/mat3x3.hpp>
#include <glm/vec2.hpp>
#include <string_view>

namespace mote {

/// One end of the cross.
struct CrossEnd {
  int axis = 0;  // 0 to 2
  bool positive = true;
  glm::dvec2 place{0};  // from the middle, in arms: right and down
  double depth = 0;     // -1: towards the eye, 1: away from it
};

/// All ends, the farthest first. `cam_from_world`: rotation of the camera.
std::array<CrossEnd, 6> cross_ends(const glm::dmat3& cam_from_world);

/// The name of the axis with its sign, as in kAxisNames.
std::string_view name_of(const CrossEnd& end);

}  // namespace mote
