#pragma once

#include <filesystem>
#include <span>

#include "io/splats/moving/moving_file.h"

namespace mote {

bool starts_as_splatv(std::span<const std::byte> head);

/// Reads a .splatv file of splaTV: cubic motion, spin, one colour a splat. Times are shares of the
/// duration. Splats without opacity, which fill the last row of its texture, are left out. Throws
/// Error, which names file and byte, for damaged files.
MovingSplatsFile read_splatv(const std::filesystem::path& path);

}  // namespace mote
