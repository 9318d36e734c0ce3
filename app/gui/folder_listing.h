#pragma once

// Folder contents for the file dialog. Calls wait for the disk, so workers make them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mote::gui {

struct FolderEntry {
  std::string name;
  bool folder = false;
  std::uintmax_t bytes = 0;  // size of a file
};

struct FolderListing {
  std::vector<FolderEntry> entries = {};  // folders first, by name
  std::string fault = {};  // reason for missing entries; empty if the folder could be read
  bool is_file = false;    // the path is a file, not a folder
};

/// Lists the folder; names that begin with a dot only if `hidden` is set.
FolderListing list_folder(const std::filesystem::path& folder, bool hidden);

/// Facts about the path of an output.
struct PlaceFacts {
  bool is_file = false, is_folder = false;
  bool is_empty = false;    // of a folder
  std::string opened = {};  // name of the open source at this path
};

/// `sources`: paths of open documents, with their names.
PlaceFacts look_at_place(const std::filesystem::path& path,
                         const std::vector<std::pair<std::filesystem::path, std::string>>& sources);

}  // namespace mote::gui
