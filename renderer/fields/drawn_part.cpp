#include "fields/drawn_part.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/matrix.hpp>
#include <ranges>

#include "fields/field_camera.h"

namespace mote {
namespace {

/// The smallest box along the axes that contains the box.
FieldBox bounds_of(const OrientedBox& box) {
  glm::dvec3 reach(0);
  for (int axis = 0; axis < 3; ++axis) {
    reach += glm::abs(box.rotation[axis]) * box.half_size[axis];
  }
  return {glm::vec3(box.center - reach), glm::vec3(box.center + reach)};
}

/// Whether each axis of the box is one of the frame's, but for rounding.
bool is_straight(const OrientedBox& box) {
  constexpr double kRounding = 1e-9;
  for (int axis = 0; axis < 3; ++axis) {
    for (int i = 0; i < 3; ++i) {
      const double size = std::abs(box.rotation[axis][i]);
      if (size > kRounding && size < 1 - kRounding) return false;
    }
  }
  return true;
}

}  // namespace

Similarity field_frame(const FieldPlacement& placement) {
  const glm::dmat3 cycle = cycle_axes();
  return {placement.scale, cycle, cycle * placement.offset};
}

bool crop_field(NeuralField& field, const OrientedBox& box_world) {
  const OrientedBox box = after(field_frame(field.placement), box_world);
  const FieldBox bounds = bounds_of(box);
  const FieldBox left{glm::max(bounds.min, field.render_box.min),
                      glm::min(bounds.max, field.render_box.max)};
  for (int axis = 0; axis < 3; ++axis) {
    if (!(left.min[axis] < left.max[axis])) return false;
  }
  if (is_straight(box)) {
    field.render_box = left;
  } else {
    field.crops.push_back(box);
  }
  return true;
}

bool is_drawn(const NeuralField& field, const glm::vec3& point) {
  for (int axis = 0; axis < 3; ++axis) {
    const float p = point[axis];
    if (!(p >= field.render_box.min[axis] && p <= field.render_box.max[axis])) return false;
  }
  return std::ranges::all_of(field.crops, [&](const OrientedBox& box) {
    return signed_distance(box, glm::dvec3(point)) <= 0;
  });
}

WorldCorners render_box_in_world(const NeuralField& field) {
  return {world_from_field(field.placement, glm::dvec3(field.render_box.min)),
          world_from_field(field.placement, glm::dvec3(field.render_box.max))};
}

}  // namespace mote
