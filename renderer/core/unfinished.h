#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace mote {

/// Removes the files that an OutputFile of a process that has ended was writing in the folder:
/// NAME.partial-PROCESS where NAME ends with one of `endings`. The lock on the file tells whether
/// its writer lives, on this machine or on another one that has the folder too; numbers of
/// processes come again. Where the file system has no locks all stay.
void remove_unfinished(const std::filesystem::path& folder,
                       std::span<const std::string_view> endings);

}  // namespace mote
