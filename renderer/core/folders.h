#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mote {

/// Throws Error where the path is no folder or files cannot be made in it; of a folder that is not
/// there, where it cannot be made. Makes nothing that others could see for longer than a moment,
/// and removes nothing else.
void check_folder(const std::filesystem::path& path);

/// The paths of a folder's entries, sorted; none where there is no such folder. Throws SystemFault
/// where it cannot be listed, so that it is not taken for an empty one.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder);

/// The same of everything below the folder, folders included. Links are not followed.
std::vector<std::filesystem::path> entries_below(const std::filesystem::path& folder);

/// Removes those of the folders that are empty, the last first.
void remove_empty_folders(std::span<const std::filesystem::path> folders);

}  // namespace mote
