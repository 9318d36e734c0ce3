#pragma once

#include <cstdint>
#include <functional>

#include "core/file.h"
#include "meshes/triangle_mesh.h"

namespace mote {

/// Reads the triangles of a .ply, of any encoding: `x`, `y`, `z` of the element "vertex", and the
/// list "vertex_indices" or "vertex_index" of the element "face". A polygon becomes a fan around
/// its first corner; a face of fewer than three corners is left out. Positions that are not finite
/// and triangles without an area are kept. `progress` gets the read fraction and may throw. Throws
/// Error for a damaged or truncated file, a corner that is no vertex, and a mesh without a face.
TriangleMesh read_ply_mesh(const InputFile& file, const std::function<void(double)>& progress = {});

}  // namespace mote
