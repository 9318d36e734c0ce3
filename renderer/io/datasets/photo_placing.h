#pragma once

#include <string>

#include "io/datasets/import_folder.h"
#include "io/datasets/photo_listing.h"
#include "io/datasets/posed_images.h"

namespace mote {

/// The photographs that share a camera: all, those of one folder, or none.
enum class Sharing { all, folder, none };

/// Changes of photographs while they were placed.
struct Placed {
  LeftOut upright, trimmed;  // turned upright; of these, with a partial block lost at an edge
  Sharing sharing = Sharing::all;
};

/// Links or copies photographs into the import's image folder and lists them for COLMAP. Those with
/// an EXIF orientation are turned upright without loss, since COLMAP and the dataset read pixels as
/// stored. `single_camera` is "yes", "no", or "auto": photographs of the same size then share a
/// camera, per folder where there are several. Throws Error where one cannot be written.
Placed place_photographs(const PhotoListing& listing, const std::string& single_camera,
                         const ImportFolder& folder);

/// Places a file, without copying its bytes where possible.
void link_or_copy(const std::filesystem::path& file, const std::filesystem::path& target);

}  // namespace mote
