#pragma once

// Colours for the surface of a NeRF as a mesh.

#include <functional>
#include <glm/vec3.hpp>
#include <span>
#include <vector>

#include "backend/field_trainer.h"

namespace mote {

/// A mesh in the world, and the NeRF that it is the surface of.
struct ColorRequest {
  DeviceField& field;
  const NeuralField& facts;                // its parameters are not read
  std::span<const glm::vec3> positions;    // in the world of the field's file
  std::span<const glm::vec3> normals;      // outwards, of length 1; one for each position
  std::function<void()> before_part = {};  // may throw, to stop
};

/// The colour that the NeRF shows at each position to a camera that looks against the normal,
/// clamped to display values.
std::vector<glm::vec3> surface_colors(const ColorRequest& request);

}  // namespace mote
