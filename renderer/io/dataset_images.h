#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/dataset_facts.h"
#include "io/image_files.h"
#include "io/image_finder.h"
#include "io/posed_images.h"

namespace mote {

/// An image of a dataset whose file is there and whole, as far as its header and end tell.
struct UsableImage {
  PosedImage posed;  // its camera scaled to the size of the file; its image set
  std::filesystem::path mask;
  ImageFacts facts;
};

struct UsableImages {
  std::vector<UsableImage> images;
  DatasetFacts facts;  // but for what is known only when the photographs are arranged
  std::vector<std::string> notes, warnings;
};

/// How files of images and masks are looked for.
struct ImageSearch {
  ImageFinder images;
  ImageFinder named_masks;  // for masks that the dataset names
  MaskFinder masks;         // for those of a folder
};

/// Finds the images and looks at their headers, by all cores. What is missing, listed twice,
/// damaged or of another shape than its camera is left out with one warning a kind. Throws Error
/// naming `where` where nothing is left.
UsableImages find_usable_images(std::vector<PosedImage> posed, const ImageSearch& search,
                                const std::string& where);

}  // namespace mote
