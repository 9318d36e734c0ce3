#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scene/dataset.h"

namespace mote {

/// Reads the points of a COLMAP model: points3D.bin, otherwise points3D.txt; no points where both
/// are missing. Points that are not finite are left out with a warning. Bytes after the last point
/// cause a warning, and so does a number of points that differs from the text file's header. Throws
/// Error, which names file and offset or line, for damaged files.
PointCloud read_colmap_points(const std::filesystem::path& model,
                              std::vector<std::string>& warnings);
/// The same for one file.
PointCloud read_colmap_points_bin(const std::filesystem::path& path,
                                  std::vector<std::string>& warnings);
PointCloud read_colmap_points_txt(const std::filesystem::path& path,
                                  std::vector<std::string>& warnings);

}  // namespace mote
