#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/options.h"
#include "core/progress.h"

namespace mote {

/// Options of the reconstruction by the user's COLMAP.
struct ImportOptions {
  std::string colmap = "colmap";  // the program: a path or a name in PATH
  std::string matcher = "auto";   // "auto", "exhaustive" or "sequential"
  std::string camera_model = "OPENCV";
  std::string single_camera = "auto";  // "auto", "yes" or "no"
  std::string subfolders = "yes";      // "yes" or "no"
  int max_image_size = 3200;           // px, longest side for feature extraction
  int max_features = 4096;             // per image; the time for matching grows with the square
  int threads = 0;                     // 0: all

  void describe(OptionTable& table);
};

struct ImportResult {
  std::size_t photographs = 0, registered = 0, points = 0;
  /// Number of separate models, which COLMAP could not join; the largest became sparse/0.
  std::size_t models = 0;
  std::vector<std::string> warnings;  // one phrase each
};

/// Makes a dataset from the photographs (PNG, JPEG) in `photos` and below it, which are not
/// changed. Links or copies them to dataset/images and turns those with an EXIF orientation
/// upright. COLMAP then extracts and matches features and reconstructs the cameras. Its models go
/// to dataset/sparse, the largest first, and its output to dataset/colmap.log. With `replace`, an
/// earlier import is replaced when the new one is complete.
///
/// All preconditions are checked before anything is written. An unfinished import leaves the log
/// and the features found so far, and the next import of the same photographs continues from them.
/// Throws Error with advice where the photographs are unsuitable or COLMAP fails, and Interrupted
/// after COLMAP has ended.
ImportResult import_photographs(const std::filesystem::path& photos,
                                const std::filesystem::path& dataset, const ImportOptions& options,
                                bool replace, ProgressMode progress);

}  // namespace mote
