#pragma once

#include <filesystem>
#include <functional>

#include "meshes/triangle_mesh.h"

namespace mote {

/// Whether the path is a file with the extension of a mesh: .obj, .stl, .glb, or .ply whose header
/// has faces.
bool is_mesh_file(const std::filesystem::path& path);

/// Reads the triangles of all parts of a mesh, with the transforms of a scene applied; polygons are
/// split. Triangles without area, or with positions that are not finite, are left out with a
/// warning. Throws Error for damaged files and files without a triangle.
TriangleMesh read_mesh(const std::filesystem::path& path,
                       const std::function<void(double)>& progress = {});

/// Upper bounds on a file.
inline constexpr std::uint64_t kMostMeshBytes = std::uint64_t{1} << 31;
inline constexpr std::size_t kMostTriangles = std::size_t{1} << 28;
inline constexpr std::size_t kMostPositions = std::size_t{1} << 28;

}  // namespace mote
