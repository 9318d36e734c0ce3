#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace mote {

/// Throws Error where the path is no folder or files cannot be made in it; of a folder that is not
/// there, where it cannot be made. Makes nothing that others could see for longer than a moment,
/// and removes nothing else.
void check_folder(const std::filesystem::path& path);

/// Removes those of the folders that are empty, the last first.
void remove_empty_folders(std::span<const std::filesystem::path> folders);

}  // namespace mote
