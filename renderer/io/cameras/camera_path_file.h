#pragma once

#include <filesystem>

#include "core/file.h"
#include "scene/keyframe_path.h"

namespace mote {

/// Reads a camera path: Mote's own format (docs/camera_paths.md), a path saved by nerfstudio's
/// viewer, or the cameras of any file that load_views() (io/datasets/camera_source.h) reads. For
/// nerfstudio, the frames that it would render (`camera_path`) become keyframes. Cameras become
/// keyframes one second apart at constant speed; the size of the first one is that of the path.
/// `width` and `height` are for camera files with only a field of view. Throws Error, which names
/// the keyframe and the key, for missing and wrong values.
KeyframePath load_camera_path(const std::filesystem::path& path, int width, int height);

/// Writes a path in the form that load_camera_path() reads. Appears whole or not at all; see
/// OutputFile.
void write_camera_path(const KeyframePath& path, const std::filesystem::path& file,
                       Existing existing = Existing::replace);

}  // namespace mote
