#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/images/image_files.h"

namespace mote {

/// Photographs of one camera model and one size.
struct PhotographKind {
  std::string camera_model;  // COLMAP's name for it
  bool has_lens = false;     // distortion is taken out
  ImageSize stored;          // of the files
  ImageSize undistorted;     // of the pinhole picture in them; as stored where there is no lens
  ImageSize trained;         // after --resize and --max-resolution
  std::size_t count = 0;
};

/// What reading a dataset came upon, in numbers.
struct DatasetFacts {
  std::string format;                                  // "COLMAP model" or "transforms.json"
  std::size_t listed = 0;                              // photographs with a usable pose
  std::size_t missing = 0, repeated = 0, damaged = 0;  // of these, left out: not there, listed
                                                       // before, unreadable or of another shape
  std::size_t hidden = 0;                              // left out since their mask hides them
  std::size_t unused = 0;                              // left out for being in no list of the split
  std::size_t folded = 0;                              // left out for what their lens does
  std::size_t masked = 0, transparent = 0;             // of those taken: with a mask, with alpha
  bool has_split = false;                              // the dataset says what to test with
  bool chosen_split = false;                           // else those inside the others are
  std::vector<PhotographKind> kinds;                   // of those taken
};

}  // namespace mote
