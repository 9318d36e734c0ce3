#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scene/dataset.h"

namespace mote {

/// Reads the points of a COLMAP model: points3D.bin, or else points3D.txt; none where there is
/// neither. Points that are not finite are left out with a warning; bytes behind the last point are
/// one too, and so is another number of points than the text's head promises. Throws Error naming
/// file and offset or line for what is damaged.
PointCloud read_colmap_points(const std::filesystem::path& model,
                              std::vector<std::string>& warnings);
/// The same of one file.
PointCloud read_colmap_points_bin(const std::filesystem::path& path,
                                  std::vector<std::string>& warnings);
PointCloud read_colmap_points_txt(const std::filesystem::path& path,
                                  std::vector<std::string>& warnings);

}  // namespace mote
