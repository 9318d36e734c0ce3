#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mote {

/// Whether the folder has a file that is named like a photograph, PNG or JPEG. No folder has none.
bool holds_images(const std::filesystem::path& folder);

/// Throws Error where the folder is there but nothing in it can be looked up, for want of
/// permission.
void check_searchable(const std::filesystem::path& folder);

/// Looks for the images that a dataset names.
class ImageFinder {
 public:
  /// `folders` are searched in order. With `strip`, leading folders of a name are dropped one after
  /// another where it is not found whole.
  explicit ImageFinder(std::vector<std::filesystem::path> folders, bool strip = false);

  /// The file of that name in the first folder that has it, as PNG or JPEG where the name lacks
  /// the extension; '\' may stand for '/'.
  std::optional<std::filesystem::path> find(const std::string& name) const;

  /// For a name that was not found: throws Error where a folder on the way to it may not be
  /// searched.
  void check_folders_of(const std::string& name) const;

 private:
  std::optional<std::filesystem::path> find_whole(const std::filesystem::path& name) const;

  std::vector<std::filesystem::path> folders_;
  bool strip_;
};

/// Looks for masks in one folder: IMG.jpg.png or IMG.png for the image IMG.jpg, PNG or JPEG.
class MaskFinder {
 public:
  /// An empty folder has no masks.
  explicit MaskFinder(std::filesystem::path folder);
  std::optional<std::filesystem::path> find(const std::string& image_name) const;
  const std::filesystem::path& folder() const { return folder_; }
  /// The names that are looked for, as a phrase: "IMG.jpg.png or IMG.png (or .jpg, .jpeg)".
  static std::string names_for(const std::string& image_name);

 private:
  std::filesystem::path folder_;
};

}  // namespace mote
