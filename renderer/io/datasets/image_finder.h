#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mote {

/// Whether the folder has a file with the name of a PNG, JPEG or EXR; false for a missing folder.
bool holds_images(const std::filesystem::path& folder);

/// Throws Error where the folder exists but the permissions do not allow to search it.
void check_searchable(const std::filesystem::path& folder);

/// Finds the images that a dataset names.
class ImageFinder {
 public:
  /// `folders` are searched in order. With `strip`, if a name is not found, its leading folders are
  /// dropped one by one.
  explicit ImageFinder(std::vector<std::filesystem::path> folders, bool strip = false);

  /// The file of that name in the first folder that has it. A name without an extension matches
  /// PNG, JPEG and EXR. In place of a PNG or JPEG, an EXR of the same name is found too. A slash
  /// may be written as a backslash.
  std::optional<std::filesystem::path> find(const std::string& name) const;

  /// For a name that was not found: throws Error where a folder on its path cannot be searched.
  void check_folders_of(const std::string& name) const;

 private:
  std::optional<std::filesystem::path> find_whole(const std::filesystem::path& name) const;

  std::vector<std::filesystem::path> folders_;
  bool strip_;
};

/// Finds masks in one folder: IMG.jpg.png or IMG.png for the image IMG.jpg, PNG or JPEG.
class MaskFinder {
 public:
  /// An empty folder has no masks.
  explicit MaskFinder(std::filesystem::path folder);
  std::optional<std::filesystem::path> find(const std::string& image_name) const;
  const std::filesystem::path& folder() const { return folder_; }
  /// The names that are searched, as a phrase: "IMG.jpg.png or IMG.png (or .jpg, .jpeg)".
  static std::string names_for(const std::string& image_name);

 private:
  std::filesystem::path folder_;
};

}  // namespace mote
