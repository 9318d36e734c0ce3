#pragma once

#include <cstddef>
#include <filesystem>

#include "io/splats/scene_format.h"

namespace mote {

/// The scene format that a file name's extension stands for.
struct SceneExtension {
  const SceneFormat* format = nullptr;  // null: not a scene format
  std::size_t length = 0;               // length of the extension, with the dot
};

/// The longest matching extension of a scene format, ignoring case.
SceneExtension scene_extension(const std::filesystem::path& path);

}  // namespace mote
