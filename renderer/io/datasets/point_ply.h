#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scene/dataset.h"

namespace mote {

/// Reads the vertices of a .ply as points: x y z, and red green blue (0..255, or 0..1 for floats)
/// where present, otherwise grey; and time_s, when a point was seen, where present. Points that are
/// not finite are left out with a warning. Throws the errors of the reader of splat scenes.
PointCloud read_point_ply(const std::filesystem::path& path, std::vector<std::string>& warnings);

/// Writes a binary .ply that read_point_ply() reads, with time_s if the points have times. Appears
/// whole or not at all.
void write_point_ply(const PointCloud& points, const std::filesystem::path& path);

}  // namespace mote
