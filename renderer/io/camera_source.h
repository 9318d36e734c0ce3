#pragma once

#include <filesystem>
#include <optional>

#include "io/image_files.h"
#include "io/view_set.h"

namespace mote {

/// Reads cameras from whatever `path` is: a transforms.json, a COLMAP model folder (or a file of
/// it), or a dataset folder with sparse/0, sparse, transforms.json or colmap/sparse/0, looked for
/// in this order. `fallback_size` is for files that give only a field of view. Throws Error where
/// it is none of these, saying what is accepted.
ViewSet load_views(const std::filesystem::path& path, std::optional<ImageSize> fallback_size = {});

}  // namespace mote
