#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/images/image_files.h"

namespace mote {

/// Photographs with the same camera model and size.
struct PhotographKind {
  std::string camera_model;  // COLMAP's name for it
  bool has_lens = false;     // distortion is removed
  bool by_ray = false;       // rays follow the lens or the motion of the camera instead
  ImageSize stored;          // size of the files
  ImageSize undistorted;     // size of the pinhole image; equal to stored without a lens
  ImageSize trained;         // after --resize and --max-resolution
  std::size_t count = 0;
};

/// Counts from reading a dataset.
struct DatasetFacts {
  std::string format;                                  // "COLMAP model" or "transforms.json"
  std::size_t listed = 0;                              // photographs with a usable pose
  std::size_t missing = 0, repeated = 0, damaged = 0;  // left out of these: missing, duplicate,
                                                       // unreadable or of another shape
  std::size_t hidden = 0;                              // left out since their mask hides them
  std::size_t unused = 0;                              // left out: in no list of the split
  std::size_t folded = 0;                              // left out: their lens folds
  std::size_t through_lens = 0;                        // kept ones with a lens or a moving camera
  std::size_t linear = 0;                              // kept ones in linear light: EXR
  std::size_t masked = 0, transparent = 0;             // kept photographs with a mask, with alpha
  bool has_split = false;                              // the dataset's files define the split
  bool chosen_split = false;                           // inner views were chosen for testing
  bool camera_split = false;                           // cameras were chosen for testing
  std::vector<PhotographKind> kinds;                   // kinds of the kept photographs
};

}  // namespace mote
