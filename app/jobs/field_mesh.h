#pragma once

// The surface of a neural field as a mesh file.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "backend/field_trainer.h"
#include "core/file.h"
#include "core/options.h"
#include "fields/neural_field.h"
#include "meshes/triangle_mesh.h"

namespace mote {

/// The options of a conversion to a mesh.
struct MeshConversion {
  int resolution = 256;     // cells along the longest side of the box
  double density = 10;      // of a NeRF's surface
  std::vector<double> box;  // x0, y0, z0, x1, y1, z1 in the world; empty: that of the field

  void describe(OptionTable& table);
};

/// The surface of the field, in the world's frame; of a NeRF with the colours that surface_colors()
/// finds. `facts`: of the field; its parameters are not read. `name`: of the field, for errors.
/// `progress` gets the finished fraction and may throw to stop. Throws Error for a field without a
/// surface, and UsageError for a box outside of the field.
TriangleMesh field_surface(DeviceField& field, const NeuralField& facts, const std::string& name,
                           const MeshConversion& conversion,
                           const std::function<void(double)>& progress);

/// Writes the mesh with normals to a file for which is_writable_mesh() holds, completely or not at
/// all. `before_end` is called before the file gets its name, and may throw.
void write_surface(const TriangleMesh& mesh, const std::filesystem::path& path, Existing existing,
                   const std::function<void()>& before_end = {});

}  // namespace mote
