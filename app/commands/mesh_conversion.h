#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/commands/scene_loading.h"

namespace mote {

/// The options of a conversion to a mesh.
struct MeshConversion {
  int resolution = 256;     // cells along the longest side of the box
  double density = 10;      // of a NeRF's surface
  std::vector<double> box;  // x0, y0, z0, x1, y1, z1 in the world; empty: that of the field

  void describe(OptionTable& table);
};

/// Writes the surface of a field to a file for which is_writable_mesh() holds, and prints a
/// summary. `existing`: for the file. Throws Error if the model is no field with a surface.
void convert_to_mesh(const LoadedModel& loaded, const std::string& out, Existing existing,
                     const MeshConversion& conversion, const GlobalOptions& globals);

}  // namespace mote
