#pragma once

#include <filesystem>
#include <optional>

#include "io/splats/splat_sequence.h"

namespace mote {

/// The moving scene at the path, as find_sequence() finds it, unless the folder is a training run
/// or contains cameras (a dataset). Empty for a file or a missing path. Throws Error as
/// find_sequence() does.
std::optional<SplatSequence> sequence_at(const std::filesystem::path& path);

}  // namespace mote
