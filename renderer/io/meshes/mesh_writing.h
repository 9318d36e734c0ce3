#pragma once

#include <filesystem>
#include <glm/vec3.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "meshes/triangle_mesh.h"

namespace mote {

/// Extensions of the formats that write_mesh() writes, with the dot.
std::vector<std::string> mesh_extensions();

/// Whether write_mesh() writes files of this name: with such an extension, in any case.
bool is_writable_mesh(const std::filesystem::path& path);

/// Writes the mesh in the format of the file's name, and does not commit the file. `normals`: one
/// for each position, or none. Positions are written exactly; of a .glb too, whose y axis points up
/// for most programs. Colours of a .ply have 8 bits; those of a .glb are linear light. Throws Error
/// for a name of no format, a mesh that a .glb cannot hold, and a failed write.
void write_mesh(const TriangleMesh& mesh, std::span<const glm::vec3> normals, OutputFile& file);

}  // namespace mote
