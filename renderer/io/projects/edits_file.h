#pragma once

#include <cstdint>
#include <filesystem>

#include "splats/splat_edits.h"

namespace mote {

/// Hash of the edits, as edits files hold it.
std::uint64_t fingerprint_of(const SplatEdits& edits);

/// Writes the edits of one scene in Mote's own format. Appears whole or not at all; see OutputFile.
void write_edits(const SplatEdits& edits, const std::filesystem::path& file);

/// Reads a file of write_edits(). Throws Error for a damaged file. The result is consistent in
/// itself; whether it fits a cloud is for the caller.
SplatEdits read_edits(const std::filesystem::path& file);

}  // namespace mote
