#pragma once

#include <filesystem>

#include <string>
#include <vector>

#include "core/file.h"
#include "core/image.h"

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

/// Write as write_png() and write_exr() do, but no more than own_file() allows.
void write_own_png(const Image& image, const std::filesystem::path& path, bool replace);
void write_own_exr(const Image& image, const std::vector<std::string>& channel_names,
                   const std::filesystem::path& path, bool replace);

}  // namespace mote
