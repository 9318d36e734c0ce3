#pragma once

#include <functional>
#include <glm/mat3x3.hpp>

#include "synth/mesh.h"

// Parts of moving scenes: built once at rest, then placed or bent. Their triangles are those at
// rest, so that a scene has the same ones at all times.

namespace mote::synth {

using glm::mat3;

/// The rotation by an angle (radians) about a unit axis.
mat3 turn_about(vec3 axis, float angle_rad);

/// A place of a part: turned, then moved.
struct Placement {
  mat3 rotation{1};
  vec3 position{0};

  vec3 operator()(vec3 local) const { return rotation * local + position; }
  /// The place of something with the placement `inner` on this part.
  Placement operator*(const Placement& inner) const {
    return {rotation * inner.rotation, (*this)(inner.position)};
  }
};

/// Appends a copy of the part.
void add_placed(Mesh& mesh, const Mesh& part, const Placement& place);

/// Appends a copy whose vertices are moved by `bend`, with the normals of the bent surface.
void add_bent(Mesh& mesh, const Mesh& part, const std::function<vec3(vec3 local)>& bend);

/// The place of things that are absent: under the floor, where no camera sees them.
Placement out_of_sight();

}  // namespace mote::synth
