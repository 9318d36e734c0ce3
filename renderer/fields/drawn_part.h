#pragma once

// The part of a field that is drawn: its render box, and the boxes that it was cropped to.

#include <glm/vec3.hpp>

#include "fields/neural_field.h"
#include "scene/oriented_box.h"

namespace mote {

/// The map from the world to the field's frame.
Similarity field_frame(const FieldPlacement& placement);

/// Leaves the part of the field in a box of the world. A box along the field's axes makes the
/// render box smaller; others are added to the crops. Returns false, and changes nothing, if the
/// box has no part of the field.
bool crop_field(NeuralField& field, const OrientedBox& box_world);

/// Whether a point of the field's frame is drawn.
bool is_drawn(const NeuralField& field, const glm::vec3& point);

/// The corners of the render box in the world: the smallest coordinates, and the largest.
struct WorldCorners {
  glm::dvec3 low, high;
};
WorldCorners render_box_in_world(const NeuralField& field);

}  // namespace mote
