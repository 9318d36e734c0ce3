#pragma once

#include <filesystem>

#include "core/file.h"
#include "scene/keyframe_path.h"

namespace mote {

/// Reads a camera path: Mote's own (docs/camera_paths.md), one that nerfstudio's viewer saved, or
/// the cameras of whatever load_views() (io/camera_source.h) understands. Of nerfstudio's the
/// frames are taken that it would render (`camera_path`), each as a keyframe. Cameras become
/// keyframes a second apart, to be passed at constant speed; the first one's size is the path's.
/// `width` and `height` are for camera files that give only a field of view. Throws Error, naming
/// the keyframe and the key, for what is missing or wrong.
KeyframePath load_camera_path(const std::filesystem::path& path, int width, int height);

/// Writes a path as load_camera_path() reads it. Appears whole or not at all, as OutputFile says.
void write_camera_path(const KeyframePath& path, const std::filesystem::path& file,
                       Existing existing = Existing::replace);

}  // namespace mote
