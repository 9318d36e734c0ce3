#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/datasets/dataset_facts.h"
#include "io/datasets/image_finder.h"
#include "io/datasets/posed_images.h"
#include "io/images/image_files.h"
#include "io/images/orientation.h"
#include "io/splats/scene_format.h"

namespace mote {

/// An image of a dataset whose file is there and whole.
struct UsableImage {
  PosedImage posed;  // its camera scaled to the size of the file; its image set
  std::filesystem::path mask;
  ImageFacts facts, mask_facts;                       // sizes upright
  Orientation orientation = 1, mask_orientation = 1;  // that the files are turned upright from
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
  bool masks_asked;         // the user names that folder: it comes first, and must have some
  bool keep_hidden;         // images whose masks leave no pixel, where that is not nothing
};

/// Finds the images and decodes each once, by all cores: what is damaged has to be known before
/// training, which may come to it after hours and has by then divided the photographs. A photograph
/// with an EXIF orientation is turned upright where its camera has that shape and not the one that
/// is stored, and a warning says which are not. What is missing, listed twice, damaged, hidden by
/// its mask or of another shape than its camera is left out with one warning a kind. Throws Error
/// naming `where` where nothing is left. `progress` is called by one thread at a time.
UsableImages find_usable_images(std::vector<PosedImage> posed, const ImageSearch& search,
                                const std::string& where, const ProgressCallback& progress = {});

}  // namespace mote
