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
  std::string fault = {};   // reason why nothing can be written there; empty: it can
};

/// `sources`: paths of open documents, with their names.
PlaceFacts look_at_place(const std::filesystem::path& path,
                         const std::vector<std::pair<std::filesystem::path, std::string>>& sources);

/// Name of the entry `way` places after (1) or before (-1) the one named `name`; the first or last
/// one if there is none of that name. Empty if the list is empty. Ignores files if `only_folders`.
std::string neighbour(const FolderListing& listing, const std::string& name, int way,
                      bool only_folders);

/// The longest common beginning of all names that begin with `typed`, without regard to case; a
/// single folder gets a '/'. `typed` itself if there are none.
std::string completed(const FolderListing& listing, const std::string& typed);

/// The folders of the paths, each once, in their order.
std::vector<std::filesystem::path> folders_of(const std::vector<std::filesystem::path>& paths);

}  // namespace mote::gui
