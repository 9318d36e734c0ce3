#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/error.h"
#include "io/datasets/rigs/rig_formats.h"
#include "io/datasets/transforms_json.h"
#include "io/datasets/view_set.h"
#include "io/images/image_files.h"

namespace mote {

/// A folder contains photographs, or videos of several cameras, but no poses.
class PhotographsWithoutPoses : public Error {
 public:
  explicit PhotographsWithoutPoses(const std::filesystem::path& dataset,
                                   std::filesystem::path photographs);
  /// The folder of the photographs themselves.
  const std::filesystem::path& photographs() const { return photographs_; }

 private:
  std::filesystem::path photographs_;
};

/// Location of the cameras of a dataset.
struct CameraLocation {
  std::filesystem::path colmap_model;             // a folder, or empty
  std::vector<std::filesystem::path> transforms;  // otherwise one file, or train with test (or val)
  bool has_split = false;                         // the first of several files is for training
  /// The format of a folder of several cameras that film a scene, and the folder; null: another.
  const RigFormat* rig = nullptr;
  std::filesystem::path rig_folder = {};
};

/// Whether `path` is a folder, or a file that belongs to a COLMAP model or looks like a transforms
/// file, as locate_cameras() accepts. Throws Error where the path does not exist.
bool may_hold_cameras(const std::filesystem::path& path);

/// Finds the cameras at `path`: a transforms.json, a COLMAP model folder (or a file of it), or a
/// dataset folder of rig_formats(), or with sparse/0, sparse, transforms_train.json,
/// transforms.json or colmap/sparse/0, searched in this order. Throws Error, which lists what is
/// accepted, where it is none of these, and PhotographsWithoutPoses where they are still to be
/// found.
CameraLocation locate_cameras(const std::filesystem::path& path);

/// Reads the located cameras, and keeps those of TransformsRequest::clip. The points of several
/// transforms files are those of the first.
TransformsFile read_cameras(const CameraLocation& location, const TransformsRequest& request);

/// Reads the cameras at `path` as pinholes. `fallback_size` is for files with only a field of view;
/// `frames_per_second` and `clip`: see TransformsRequest.
ViewSet load_views(const std::filesystem::path& path, std::optional<ImageSize> fallback_size = {},
                   double frames_per_second = 0, std::optional<TimeClip> clip = {});

}  // namespace mote
