#pragma once

// Marching through a field, and the occupancy grid that it goes by.

#include <vector>

#include "fields/marching.h"
#include "fields/neural_field.h"

namespace mote {

/// The march of rays through the part of a field in a box.
inline MarchSettings march_in_box(const FieldBox& box, int aabb_scale, float coarseness = 1) {
  return {{box.min.x, box.min.y, box.min.z},
          {box.max.x, box.max.y, box.max.z},
          cascades_of(aabb_scale),
          usual_cone(aabb_scale),
          coarseness};
}

/// The densities of a volume. Where it does not know which cells are empty, all are occupied.
inline OccupancyDensities known_occupancy(const NeuralField& field) {
  if (!field.occupancy.values.empty()) return field.occupancy;
  return {.cascades = 1, .values = std::vector<float>(kOccupancyCells, 1.0f)};
}

}  // namespace mote
