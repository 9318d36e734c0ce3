#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/images/orientation.h"

namespace mote {

/// A photograph to import.
struct ListedPhoto {
  std::string name;            // path below the folder, with '/'
  std::filesystem::path path;  // full path
  Orientation orientation = 1;
  std::uint64_t bytes = 0;  // size of the file
  /// Time of the last change; identifies the file together with the size.
  std::int64_t changed_ticks = 0;
};

/// The photographs of a folder, sorted by name.
struct PhotoListing {
  std::vector<ListedPhoto> photos;
  std::size_t folders = 0;                   // number of folders that hold photographs
  std::vector<std::string> notes, warnings;  // one phrase each
};

struct ListingOptions {
  bool subfolders = true;     // include photographs in subfolders
  std::filesystem::path out;  // the new dataset, which is not searched
};

/// Finds PNG and JPEG files. Leaves out, with a note: other and damaged files, names with control
/// characters, folders of masks and of reduced copies ("masks", "images_2"). Throws Error with
/// advice where fewer are left than COLMAP needs.
PhotoListing list_photographs(const std::filesystem::path& folder, const ListingOptions& options);

}  // namespace mote
