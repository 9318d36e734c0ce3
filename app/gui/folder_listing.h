#pragma once

// What lies on the disk, for the dialog that asks for a path. Each call may take as long as the
// disk does: for a worker.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mote::gui {

struct FolderEntry {
  std::string name;
  bool folder = false;
  std::uintmax_t bytes = 0;  // of a file
};

struct FolderListing {
  std::vector<FolderEntry> entries = {};  // folders first, by name
  std::string fault = {};                 // why there are none; empty where there could be
  bool is_file = false;                   // no folder at all
};

/// Those whose names begin with a dot only where `hidden` says so.
FolderListing list_folder(const std::filesystem::path& folder, bool hidden);

/// What is there where something is to be written.
struct PlaceFacts {
  bool is_file = false, is_folder = false;
  bool is_empty = false;    // the folder
  std::string opened = {};  // the name that belongs to it among `sources`
};

/// `sources`: paths of what is open, with their names.
PlaceFacts look_at_place(const std::filesystem::path& path,
                         const std::vector<std::pair<std::filesystem::path, std::string>>& sources);

}  // namespace mote::gui
