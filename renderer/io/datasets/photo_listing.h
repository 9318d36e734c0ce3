#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/images/orientation.h"

namespace mote {

/// A photograph to import.
struct ListedPhoto {
  std::string name;            // below the folder, with '/'
  std::filesystem::path path;  // where it lies
  Orientation orientation = 1;
  std::uint64_t bytes = 0;         // of the file
  std::int64_t changed_ticks = 0;  // when; with the bytes, what tells it from another one
};

/// The photographs of a folder, by name.
struct PhotoListing {
  std::vector<ListedPhoto> photos;
  std::size_t folders = 0;                   // that hold some of them
  std::vector<std::string> notes, warnings;  // a phrase each
};

struct ListingOptions {
  bool subfolders = true;     // their photographs, too
  std::filesystem::path out;  // the dataset that is made; what lies in it is no photograph
};

/// Finds PNG and JPEG files. Leaves out, and says so: other and damaged files, names with control
/// characters, folders of masks and of reduced copies ("masks", "images_2"). Throws Error with
/// advice where fewer are left than COLMAP needs.
PhotoListing list_photographs(const std::filesystem::path& folder, const ListingOptions& options);

}  // namespace mote
