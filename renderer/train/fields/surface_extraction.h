#pragma once

// The surface of a field as a mesh: where a signed distance is 0, or where a NeRF has a density.

#include <functional>
#include <string>

#include "backend/field_trainer.h"
#include "fields/neural_field.h"
#include "meshes/triangle_mesh.h"

namespace mote {

struct SurfaceRequest {
  DeviceField& field;
  /// Facts of the field: application, place, boxes and occupancy. Its parameters are not read.
  const NeuralField& facts;
  FieldBox box;          // field's frame
  int resolution = 256;  // cells along the longest side of the box, at least 1
  double density = 10;   // of a NeRF's surface, per unit of length of the field's frame
  std::function<void(double fraction)> progress = {};  // may throw
  std::string name = "the field";                      // for errors, such as its file
};

/// Returns the closed surface in the world, cut off at the sides of the box and of the crops. Cells
/// of a NeRF that its occupancy grid knows to be empty are outside. Memory grows with the square of
/// the resolution and with the mesh. Throws Error for images and volumes, for a box without a size,
/// and if no surface is found.
TriangleMesh extract_surface(const SurfaceRequest& request);

}  // namespace mote
