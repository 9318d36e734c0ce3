#include "io/datasets/image_finder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "core/error.h"
#include "core/folders.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::array kPlainExtensions{".png", ".jpg", ".jpeg", ".PNG", ".JPG", ".JPEG"};
constexpr std::array kExtensions{".png", ".jpg", ".jpeg", ".PNG", ".JPG", ".JPEG", ".exr", ".EXR"};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

fs::path with_slashes(std::string name) {
  std::ranges::replace(name, '\\', '/');
  return name;
}

/// The name without its first folder; empty where it has no folder.
fs::path without_first(const fs::path& name) {
  fs::path rest;
  for (auto part = std::next(name.begin()); part != name.end(); ++part) rest /= *part;
  return rest;
}

}  // namespace

bool holds_images(const fs::path& folder) {
  const std::vector<fs::path> entries = folder_entries(folder);
  return std::any_of(entries.begin(), entries.end(), [](const fs::path& entry) {
    const std::string extension = entry.extension().string();
    return std::count(kExtensions.begin(), kExtensions.end(), extension) > 0;
  });
}

void check_searchable(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return;
  if (::faccessat(AT_FDCWD, folder.c_str(), X_OK, AT_EACCESS) == 0) return;
  throw Error("cannot be searched: " + system_message(errno), folder.string(),
              "change its permissions, for example with: chmod u+rx '" + folder.string() + "'");
}

ImageFinder::ImageFinder(std::vector<fs::path> folders, bool strip)
    : folders_(std::move(folders)), strip_(strip) {}

std::optional<fs::path> ImageFinder::find(const std::string& name) const {
  if (name.empty()) return {};
  if (auto found = find_whole(name)) return found;
  fs::path slashed = with_slashes(name);
  if (slashed != name) {
    if (auto found = find_whole(slashed)) return found;
  }
  while (strip_ && slashed.has_parent_path()) {
    slashed = without_first(slashed);
    if (slashed.empty()) break;
    if (auto found = find_whole(slashed)) return found;
  }
  return {};
}

void ImageFinder::check_folders_of(const std::string& name) const {
  for (const fs::path& folder : folders_) {
    check_searchable(folder);
    fs::path below = folder;
    for (const fs::path& part : with_slashes(name).relative_path().parent_path()) {
      below /= part;
      check_searchable(below);
    }
  }
}

std::optional<fs::path> ImageFinder::find_whole(const fs::path& name) const {
  for (const fs::path& folder : folders_) {
    const fs::path whole = (folder / name).lexically_normal();
    if (is_file(whole)) return whole;
    for (const char* extension : kExtensions) {
      fs::path path = whole;
      path += extension;
      if (is_file(path)) return path;
    }
    // The same picture in linear light, in a folder of EXR files.
    const std::string own = whole.extension().string();
    if (std::count(kPlainExtensions.begin(), kPlainExtensions.end(), own) == 0) continue;
    for (const char* extension : {".exr", ".EXR"}) {
      fs::path path = whole;
      path.replace_extension(extension);
      if (is_file(path)) return path;
    }
  }
  return {};
}

std::string MaskFinder::names_for(const std::string& image_name) {
  const fs::path name = with_slashes(image_name).relative_path();
  fs::path stem = name;
  stem.replace_extension();
  return fmt::format("{}.png or {}.png (or .jpg, .jpeg)", name.string(), stem.string());
}

MaskFinder::MaskFinder(fs::path folder) : folder_(std::move(folder)) {}

std::optional<fs::path> MaskFinder::find(const std::string& image_name) const {
  if (folder_.empty()) return {};
  const fs::path whole = with_slashes(image_name).relative_path();
  fs::path stem = whole;
  stem.replace_extension();
  // Images named images/IMG.jpg have masks/IMG.jpg.png, with or without a folder.
  for (const fs::path& name : {whole, stem, whole.filename(), stem.filename()}) {
    for (const char* extension : kPlainExtensions) {
      fs::path path = folder_ / name;
      path += extension;
      if (is_file(path)) return path.lexically_normal();
    }
  }
  return {};
}

}  // namespace mote
