#include "app/gui/folder_listing.h"

#include <algorithm>
#include <cctype>
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
  facts.is_empty = facts.is_folder && fs::is_empty(path, ignored);
  for (const auto& [source, name] : sources) {
    if (fs::equivalent(path, source, ignored)) facts.opened = name;
  }
  return facts;
}

}  // namespace mote::gui
