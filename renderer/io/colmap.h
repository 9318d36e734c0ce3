#pragma once

#include <filesystem>

#include "io/view_set.h"

namespace mote {

/// Whether a folder holds cameras and images of a COLMAP model, as .bin or .txt.
bool is_colmap_model(const std::filesystem::path& folder);

/// Reads the registered images of a COLMAP model as views, sorted by image name; .bin where both
/// are there. Every perspective camera model is known; what it has beyond a pinhole becomes a
/// warning. Throws Error naming file and offset or line.
ViewSet read_colmap_model(const std::filesystem::path& folder);

}  // namespace mote
