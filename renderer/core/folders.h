#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mote {

/// Throws Error where the path is not a folder or no file can be made in it. For a missing folder,
/// throws Error where it cannot be made. Leaves nothing behind and removes nothing of others.
void check_folder(const std::filesystem::path& path);

/// The paths of a folder's entries, sorted; empty where there is no such folder. Throws SystemFault
/// where it cannot be listed, so that it is not taken for an empty one.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder);

/// The sorted paths of everything below the folder, folders included. Links are not followed.
std::vector<std::filesystem::path> entries_below(const std::filesystem::path& folder);

/// Removes the empty ones among the folders, the last first.
void remove_empty_folders(std::span<const std::filesystem::path> folders);

}  // namespace mote
