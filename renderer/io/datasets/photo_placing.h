#pragma once

#include <string>

#include "io/datasets/import_folder.h"
#include "io/datasets/photo_listing.h"
#include "io/datasets/posed_images.h"

namespace mote {

/// Which photographs share a camera.
enum class Sharing { all, folder, none };

/// Changes that photographs went through on their way into the dataset.
struct Placed {
  LeftOut upright, trimmed;  // turned upright; of these, with less than a block lost at an edge
  Sharing sharing = Sharing::all;
};

/// Links or copies photographs into the import's folder of images, those with an EXIF orientation
/// turned upright with the bits that they have, since COLMAP and the dataset take pixels as they
/// are stored; and lists them for COLMAP. `single_camera` is "yes", "no", or "auto": then
/// photographs share a camera that have one size, those of different folders one a folder. Throws
/// Error where one cannot be written.
Placed place_photographs(const PhotoListing& listing, const std::string& single_camera,
                         const ImportFolder& folder);

}  // namespace mote
