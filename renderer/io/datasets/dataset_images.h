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

/// An image of a dataset with an intact file.
struct UsableImage {
  PosedImage posed;  // camera scaled to the size of the file; its image set
  std::filesystem::path mask;
  ImageFacts facts, mask_facts, uncounted_facts;      // sizes after turning upright
  Orientation orientation = 1, mask_orientation = 1;  // EXIF orientations of the files
  Orientation uncounted_orientation = 1;
  bool is_uncounted = false;  // in all pixels
};

struct UsableImages {
  std::vector<UsableImage> images;
  DatasetFacts facts;  // without those that follow from the split
  std::vector<std::string> notes, warnings;
};

/// The search for image and mask files.
struct ImageSearch {
  ImageFinder images;
  ImageFinder named_masks;  // for masks that the dataset names
  MaskFinder masks;         // for masks of a folder
  bool masks_asked;         // the user named that folder: it has priority and must hold some masks
  bool keep_hidden;         // keep images whose masks leave no pixel, unless none would be left
};

/// Finds the images and decodes each once, on all cores. Damaged images must be known before the
/// photographs are split and training starts. A photograph with an EXIF orientation is turned
/// upright if its camera has the upright shape and not the stored one; a warning lists the others.
/// Images that are missing, listed twice, damaged, hidden by their mask or of another shape than
/// their camera are left out, with one warning per kind. Throws Error, which names `where`, where
/// none is left. `progress` is called by one thread at a time.
UsableImages find_usable_images(std::vector<PosedImage> posed, const ImageSearch& search,
                                const std::string& where, const ProgressCallback& progress = {});

}  // namespace mote
