#include "app/gui/folder_listing.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace mote::gui {
namespace {

namespace fs = std::filesystem;

bool before(std::string_view a, std::string_view b) {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [](unsigned char x, unsigned char y) { return std::tolower(x) < std::tolower(y); });
}

}  // namespace

FolderListing list_folder(const fs::path& folder, bool hidden) {
  FolderListing listing;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    std::error_code ignored;
    FolderEntry found{.name = entry->path().filename().string(),
                      .folder = entry->is_directory(ignored)};
    if (found.name.starts_with('.') && !hidden) continue;
    if (!found.folder) found.bytes = entry->file_size(ignored);
    if (ignored) found.bytes = 0;
    listing.entries.push_back(std::move(found));
  }
  if (fault) {
    listing.fault = fault.message();
    std::error_code ignored;
    listing.is_file = fs::is_regular_file(folder, ignored);
  }
  std::sort(listing.entries.begin(), listing.entries.end(),
            [](const FolderEntry& a, const FolderEntry& b) {
              return a.folder != b.folder ? a.folder : before(a.name, b.name);
            });
  return listing;
}

PlaceFacts look_at_place(const fs::path& path,
                         const std::vector<std::pair<fs::path, std::string>>& sources) {
  std::error_code ignored;
  PlaceFacts facts;
  facts.is_folder = fs::is_directory(path, ignored);
  facts.is_file = !facts.is_folder && fs::exists(path, ignored);
  const fs::path folder = path.has_filename() ? path.parent_path() : path;
  if (!fs::is_directory(folder, ignored)) {
    facts.fault = folder.string() + " does not exist.";
  } else if (::access((facts.is_file ? path : folder).c_str(), W_OK) != 0) {
    facts.fault = (facts.is_file ? path : folder).string() + " is write-protected.";
  }
  facts.is_empty = facts.is_folder && fs::is_empty(path, ignored);
  for (const auto& [source, name] : sources) {
    if (fs::equivalent(path, source, ignored)) facts.opened = name;
  }
  return facts;
}

std::string neighbour(const FolderListing& listing, const std::string& name, int way,
                      bool only_folders) {
  std::vector<std::string_view> names;
  for (const FolderEntry& entry : listing.entries) {
    if (entry.folder || !only_folders) names.push_back(entry.name);
  }
  if (names.empty()) return {};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::string(way > 0 ? names.front() : names.back());
  const auto last = static_cast<std::ptrdiff_t>(names.size()) - 1;
  const auto place = std::clamp<std::ptrdiff_t>(found - names.begin() + way, 0, last);
  return std::string(names[static_cast<std::size_t>(place)]);
}

std::string completed(const FolderListing& listing, const std::string& typed) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  const FolderEntry* only = nullptr;
  std::string common;
  int count = 0;
  for (const FolderEntry& entry : listing.entries) {
    const std::string& name = entry.name;
    if (name.size() < typed.size() || !std::equal(typed.begin(), typed.end(), name.begin(), same)) {
      continue;
    }
    only = &entry;
    if (++count == 1) common = name;
    const auto ends = std::mismatch(common.begin(), common.end(), name.begin(), name.end(), same);
    common.erase(ends.first, common.end());
  }
  if (count == 0) return typed;
  return count == 1 && only->folder ? common + "/" : common;
}

std::vector<fs::path> folders_of(const std::vector<fs::path>& paths) {
  std::vector<fs::path> folders;
  for (const fs::path& path : paths) {
    const fs::path folder = path.parent_path();
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(folder);
    }
  }
  return folders;
}

}  // namespace mote::gui
