#pragma once

#include <filesystem>

#include "core/file.h"

namespace mote {

/// The mark of the files that Mote writes among others: a PNG's text "Software", an attribute
/// "software" of an EXR, the key "software" of a JSON object, a ply's comment "Software: Mote".
inline constexpr const char* kSoftware = "Mote";

/// Whether the file carries that mark.
bool is_written_by_mote(const std::filesystem::path& path);

/// How a file under one of Mote's own names in a folder may be written. Without `replace` no file
/// that exists gives way, with it those that Mote wrote. Throws Error for any other one that
/// exists.
Existing own_file(const std::filesystem::path& path, bool replace);

}  // namespace mote
