#pragma once

#include <filesystem>
#include <span>

#include "io/splats/moving/moving_file.h"

namespace mote {

/// Whether the bytes begin as a .4dgs of any version.
bool starts_as_four_dgs(std::span<const std::byte> head);

/// Reads a .4dgs file of version 1 with the temporal model `gaussian-birth`: all its chunks, in the
/// order of the file. Records that are not known are skipped, as the format demands; moved objects
/// stay at rest, with a warning. Throws Error, which names file and byte, for damaged files, other
/// versions, temporal models, schemes and codecs, for an index outside of the table of windows, and
/// where the summary's checksum does not match.
MovingSplatsFile read_four_dgs(const std::filesystem::path& path);

}  // namespace mote
