#pragma once

#include <filesystem>

#include "io/datasets/posed_images.h"

namespace mote {

/// Whether a folder holds cameras and images of a COLMAP model, as .bin or .txt.
bool is_colmap_model(const std::filesystem::path& folder);

/// Reads the registered images of a COLMAP model, sorted by file name; .bin where both are there.
/// Every perspective camera model is known. Images without a usable pose are left out with a
/// warning; bytes behind the last image or camera are one too, and so is another number of cameras
/// than a text file's head promises. In images.txt lines of 2D points may be left out. Throws Error
/// naming file and offset or line, also where the number of images differs from that in the head,
/// or no usable pose is left.
PosedImages read_colmap_model(const std::filesystem::path& folder);

}  // namespace mote
