#pragma once

#include <cstddef>
#include <filesystem>

#include "io/splats/scene_format.h"

namespace mote {

/// What a name says of its file.
struct SceneExtension {
  const SceneFormat* format = nullptr;  // null: the name is of no scene format
  std::size_t length = 0;               // of the extension, with the dot
};

/// The longest extension of any scene format that the name ends in, in either case.
SceneExtension scene_extension(const std::filesystem::path& path);

}  // namespace mote
