#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/projects/project.h"

namespace mote {

/// The text of a project file. Paths are written relative to `folder`, which is absolute.
std::string project_text(const Project& project, const std::filesystem::path& folder);

/// Reads the text of a project file. `file`: its absolute path, for relative paths and messages.
/// Throws Error, which names the file with a line or a key, for text that is not JSON and for
/// missing and wrong values.
Project parse_project(std::string_view text, const std::filesystem::path& file);

/// Reads a project file. Throws Error.
Project read_project(const std::filesystem::path& file);

/// Whether the path has the extension of a project.
bool is_project_path(const std::filesystem::path& path);

}  // namespace mote
