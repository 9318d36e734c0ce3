#pragma once

#include <filesystem>

#include <string>
#include <vector>

#include "core/file.h"
#include "core/image.h"

namespace mote {

/// The mark in files written by Mote: the text "Software" of a PNG, the attribute "software" of an
/// EXR, the key "software" of a JSON object, the comment "Software: Mote" of a ply.
inline constexpr const char* kSoftware = "Mote";

/// Whether the file has that mark.
bool is_written_by_mote(const std::filesystem::path& path);

/// The policy for an output file with one of Mote's fixed names. Without `replace`, no existing
/// file is replaced; with it, only files written by Mote are. Throws Error for any other existing
/// file.
Existing own_file(const std::filesystem::path& path, bool replace);

/// Like write_png() and write_exr(), within the limits of own_file().
void write_own_png(const Image& image, const std::filesystem::path& path, bool replace);
void write_own_exr(const Image& image, const std::vector<std::string>& channel_names,
                   const std::filesystem::path& path, bool replace);

}  // namespace mote
