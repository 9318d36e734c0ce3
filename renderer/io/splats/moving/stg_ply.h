#pragma once

#include <filesystem>

#include "io/splats/moving/moving_file.h"
#include "io/splats/ply_header.h"

namespace mote {

/// Whether the vertices have the centres in time of Spacetime Gaussians.
bool is_stg_ply(const PlyHeader& header);

/// Reads a .ply of Spacetime Gaussians (Li et al. 2024), lite model: cubic motion, spin, one colour
/// a splat. Times are shares of the duration. Throws Error, which names the file, for damaged
/// files, for text, for missing properties, and for the full model, whose colours need its network.
MovingSplatsFile read_stg_ply(const std::filesystem::path& path);

}  // namespace mote
