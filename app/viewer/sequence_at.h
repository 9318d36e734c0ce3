#pragma once

#include <filesystem>
#include <optional>

#include "io/splat_sequence.h"

namespace mote {

/// The moving scene at the path: what find_sequence() finds in a folder that is neither that of a
/// training run nor one with cameras, a dataset. None for a file, and where there is nothing.
/// Throws Error as find_sequence() does.
std::optional<SplatSequence> sequence_at(const std::filesystem::path& path);

}  // namespace mote
