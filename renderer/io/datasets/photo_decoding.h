#pragma once

#include <cstddef>
#include <filesystem>

#include "cameras/rectify.h"
#include "io/images/orientation.h"
#include "scene/dataset.h"

namespace mote {

/// How a photograph's pixels come from its files.
struct PhotoRecipe {
  std::filesystem::path image, mask;  // no mask: empty
  Rectification rectification;        // from the image as stored to the Photograph's camera
  bool segment = false;  // what the mask leaves out becomes transparent; else it does not count
  int channels = 3;      // expected of PhotoPixels::color
  Orientation orientation = 1, mask_orientation = 1;  // that their files are turned upright from
};

/// Bytes of a photograph's pixels, halved `level` times, as far as can be told beforehand.
std::size_t expected_bytes(const PhotoRecipe& recipe, int level);
std::size_t bytes_of(const PhotoPixels& pixels);
/// Bytes that decode_photo() takes at most beside its result: the file, and its pixels as stored
/// where they are not the result.
std::size_t passing_bytes(const PhotoRecipe& recipe);

/// Reads, undistorts and resizes. Throws Error naming the file where it is damaged, or no longer of
/// the size it had.
PhotoPixels decode_photo(const PhotoRecipe& recipe);

/// The next level of the pyramid.
PhotoPixels halved(const PhotoPixels& pixels);

}  // namespace mote
