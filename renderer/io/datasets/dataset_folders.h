#pragma once

#include <filesystem>
#include <string>

#include "io/datasets/camera_source.h"
#include "io/datasets/dataset_images.h"

namespace mote {

/// The folders that a user names for a dataset; empty ones are found.
struct NamedFolders {
  std::string images, masks;  // below the dataset, or anywhere
  bool keep_hidden = false;   // as ImageSearch has it
};

/// Where the images and masks of the dataset at `root` lie. Throws Error where a folder that is
/// named is missing, and where one may not be searched.
ImageSearch image_search(const std::filesystem::path& root, const CameraLocation& cameras,
                         const NamedFolders& named);

}  // namespace mote
