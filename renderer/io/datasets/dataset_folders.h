#pragma once

#include <filesystem>
#include <string>

#include "io/datasets/camera_source.h"
#include "io/datasets/dataset_images.h"

namespace mote {

/// The folders that a user names for a dataset; empty ones are searched for.
struct NamedFolders {
  std::string images, masks;  // relative to the dataset, or any path
  bool keep_hidden = false;   // see ImageSearch
};

/// The folders to search for images and masks of the dataset at `root`. Throws Error where a named
/// folder is missing or a folder cannot be searched.
ImageSearch image_search(const std::filesystem::path& root, const CameraLocation& cameras,
                         const NamedFolders& named);

}  // namespace mote
