#pragma once

#include <filesystem>

#include "io/datasets/posed_images.h"

namespace mote {

/// Whether a folder holds the cameras and images of a COLMAP model, as .bin or .txt.
bool is_colmap_model(const std::filesystem::path& folder);

/// Reads the registered images of a COLMAP model, sorted by file name; .bin is preferred. All
/// perspective camera models are supported. Images without a usable pose are left out with a
/// warning. Bytes after the last image or camera cause a warning, and so does a number of cameras
/// that differs from a text file's header. Lines of 2D points may be missing in images.txt. Throws
/// Error, which names file and offset or line, for damaged files, for a number of images that
/// differs from the header, and where no usable pose is left.
PosedImages read_colmap_model(const std::filesystem::path& folder);

}  // namespace mote
