#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/options.h"
#include "core/progress.h"

namespace mote {

/// How the user's COLMAP finds where photographs were taken from.
struct ImportOptions {
  std::string colmap = "colmap";  // the program: a path or a name in PATH
  std::string matcher = "auto";   // or "exhaustive", "sequential"
  std::string camera_model = "OPENCV";
  std::string single_camera = "auto";  // or "yes", "no"
  std::string subfolders = "yes";      // or "no"
  int max_image_size = 3200;           // px, longest side that features are looked for in
  int max_features = 4096;             // of an image; the time to match goes with the square
  int threads = 0;                     // 0 takes all

  void describe(OptionTable& table);
};

struct ImportResult {
  std::size_t photographs = 0, registered = 0, points = 0;
  std::size_t models = 0;             // that COLMAP could not join; the largest became sparse/0
  std::vector<std::string> warnings;  // a phrase each
};

/// Makes a dataset of the photographs (PNG, JPEG) in the folder `photos` and below it, which is
/// left as it is: links or copies them to dataset/images, those with an EXIF orientation turned
/// upright, has COLMAP extract and match features and reconstruct the cameras, and puts its models,
/// the largest first, into dataset/sparse. What COLMAP says goes to dataset/colmap.log. With
/// `replace` an earlier import gives way once the new one is whole.
///
/// Nothing is made before all of that is known to be possible. An import that does not come to its
/// end, however that comes, leaves the log and the features that COLMAP had found, from which the
/// next one of the same photographs goes on. Throws Error with advice where the photographs do not
/// do or COLMAP fails, and Interrupted, when COLMAP has ended.
ImportResult import_photographs(const std::filesystem::path& photos,
                                const std::filesystem::path& dataset, const ImportOptions& options,
                                bool replace, ProgressMode progress);

}  // namespace mote
