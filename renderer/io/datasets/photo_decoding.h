#pragma once

#include <cstddef>
#include <filesystem>

#include "cameras/rectify.h"
#include "io/images/orientation.h"
#include "scene/dataset.h"

namespace mote {

/// The steps from a photograph's files to its pixels.
struct PhotoRecipe {
  std::filesystem::path image, mask;  // mask: empty for none
  Rectification rectification;        // from the stored image to the Photograph's camera
  bool segment = false;  // masked pixels become transparent; otherwise they have no weight
  int channels = 3;      // expected of PhotoPixels::color
  Orientation orientation = 1, mask_orientation = 1;  // EXIF orientations of the files
  bool is_exr = false;                                // the image file is an EXR
  bool is_linear = false;  // the result is light, as of all photographs of the dataset
  std::filesystem::path uncounted = {};  // its pixels other than black have no weight; or empty
  Orientation uncounted_orientation = 1;
  bool white_is_transparent = false, black_is_transparent = false;  // of an image without light
};

/// Estimated bytes of a photograph's pixels, halved `level` times.
std::size_t expected_bytes(const PhotoRecipe& recipe, int level);
std::size_t bytes_of(const PhotoPixels& pixels);
/// Upper bound on the temporary bytes of decode_photo(): the file, and its pixels as stored where
/// they are not the result.
std::size_t passing_bytes(const PhotoRecipe& recipe);

/// Reads, undistorts and resizes a photograph. EXR is resized as light, and becomes display values
/// last. Throws Error, which names the file, where it is damaged or has changed its size.
PhotoPixels decode_photo(const PhotoRecipe& recipe);

/// The next level of the pyramid.
PhotoPixels halved(const PhotoPixels& pixels);

}  // namespace mote
