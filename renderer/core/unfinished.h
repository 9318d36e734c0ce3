#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace mote {

/// Removes the unfinished files that ended processes left in the folder: NAME.partial-PROCESS of an
/// OutputFile, where NAME ends with one of `endings`. The lock on the file shows whether its writer
/// still runs, on this machine or another one that shares the folder; process numbers are reused.
/// Where the file system has no locks, all files stay.
void remove_unfinished(const std::filesystem::path& folder,
                       std::span<const std::string_view> endings);

}  // namespace mote
