#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "cameras/camera.h"

namespace mote {

/// A view of a camera file and the part of the dataset that it belongs to.
struct SplitView {
  View view;
  std::string split;  // "train" or "test"
};

/// Writes views in the form that read_transforms_json() reads: size and intrinsics in every frame,
/// OpenGL axes, the view's name as file_path, and times in seconds unless all are 0. The frame also
/// has the key `split`. Throws Error where the file cannot be written.
void write_camera_file(std::span<const SplitView> views, const std::filesystem::path& path);

}  // namespace mote
