#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.h"

namespace mote {

/// Follows an import. Called by the thread that imports.
class ImportObserver {
 public:
  virtual ~ImportObserver() = default;
  /// A step begins: "finding features", of `total` photographs.
  virtual void begin(const std::string& step, double total) = 0;
  virtual void progress(double done) = 0;
  virtual void end() = 0;
  /// A line that the program of the step writes.
  virtual void line(std::string_view text) = 0;

 protected:
  ImportObserver() = default;
  ImportObserver(const ImportObserver&) = default;
  ImportObserver& operator=(const ImportObserver&) = default;
};

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
  std::string ffmpeg = "ffmpeg";       // the program that takes frames out of videos
  double video_fps = 2;                // frames taken per second of a video
  double keyframe_interval = 1.0 / 3;  // s, between the moments of several videos
  std::string masks = {};              // folder of masks: COLMAP ignores their dark parts

  void describe(OptionTable& table);
};

struct ImportResult {
  std::size_t photographs = 0, registered = 0, points = 0;
  /// Number of separate models, which COLMAP could not join; the largest became sparse/0.
  std::size_t models = 0;
  std::vector<std::string> warnings;  // one phrase each
};

/// Makes a dataset from the photographs (PNG, JPEG) in `photos` and below it, which are not
/// changed. If `photos` is a video, ffmpeg takes frames out of it first. If it is a folder of
/// synchronised videos by cameras that stand still, each has a camera of its own, found from one
/// frame of each; with these poses, points are triangulated at moments of all videos, and the
/// dataset has the form of EasyVolcap. Where masks are dark, such as on what moves, COLMAP searches
/// no features; the dataset does not contain them. Links or copies them to dataset/images and turns
/// those with an EXIF orientation upright. COLMAP then extracts and matches features and
/// reconstructs the cameras. Its models go to dataset/sparse, the largest first, and its output to
/// dataset/colmap.log. With `replace`, an earlier import is replaced when the new one is complete.
///
/// All preconditions are checked before anything is written. An unfinished import leaves the log
/// and the features found so far, and the next import of the same photographs continues from them.
/// Throws Error with advice where the photographs are unsuitable or COLMAP fails, and Interrupted
/// after COLMAP has ended. `observer` may be null.
ImportResult import_photographs(const std::filesystem::path& photos,
                                const std::filesystem::path& dataset, const ImportOptions& options,
                                bool replace, ImportObserver* observer);

/// The effects of an import, as far as they can be known before.
struct ImportOutlook {
  std::size_t photographs = 0;  // 0: not known, as for a video
  std::size_t videos = 0;       // synchronised ones of several cameras
  bool replaces = false;        // an earlier import in the folder
  std::string fault = {};       // why it cannot be done; empty: it can
};

/// Checks what import_photographs() would check before it writes anything, with `replace`.
ImportOutlook import_outlook(const std::filesystem::path& photos,
                             const std::filesystem::path& dataset, const ImportOptions& options);

}  // namespace mote
