#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/datasets/photo_listing.h"

namespace mote {

/// The mask of a photograph to import: where it is darker than half, COLMAP searches no features.
struct ImportMask {
  std::string name;  // of the photograph, below its folder
  std::filesystem::path path;
  Orientation of_photograph = 1;
  std::uint64_t bytes = 0;  // size of the file
  /// Time of the last change; identifies the file together with the size.
  std::int64_t changed_ticks = 0;
};

/// Throws Error where there is no such folder. An empty path is no folder, and none is needed.
void check_mask_folder(const std::filesystem::path& folder);

/// The masks of the photographs that have one, in their order; see MaskFinder. None without a
/// folder. Throws Error, which names the mask, where it has another size than its photograph, and
/// where no photograph has one.
std::vector<ImportMask> list_masks(const PhotoListing& listing,
                                   const std::filesystem::path& folder);

/// Writes them upright as COLMAP reads them: TARGET/NAME.png, grey, black or white. `images`: the
/// folder of the upright photographs. A mask loses what its photograph lost when it was turned, see
/// Upright::trimmed.
void place_masks(const std::vector<ImportMask>& masks, const std::filesystem::path& images,
                 const std::filesystem::path& target);

}  // namespace mote
