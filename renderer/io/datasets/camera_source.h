#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "io/datasets/transforms_json.h"
#include "io/datasets/view_set.h"
#include "io/images/image_files.h"

namespace mote {

/// Where the cameras of a dataset stand.
struct CameraLocation {
  std::filesystem::path colmap_model;             // a folder, or empty
  std::vector<std::filesystem::path> transforms;  // else these: one, or train with test (or val)
  bool has_split = false;                         // the first of several is what to train on
};

/// Whether `path` names a folder, or a file that is of a COLMAP model or looks like a transforms
/// file: what is for locate_cameras() to understand. Throws Error where there is nothing.
bool may_hold_cameras(const std::filesystem::path& path);

/// Finds the cameras in whatever `path` is: a transforms.json, a COLMAP model folder (or a file of
/// it), or a dataset folder with sparse/0, sparse, transforms_train.json, transforms.json or
/// colmap/sparse/0, looked for in this order. Throws Error where it is none of these, saying what
/// is accepted.
CameraLocation locate_cameras(const std::filesystem::path& path);

/// Reads what was located; points of transforms files are those of the first.
TransformsFile read_cameras(const CameraLocation& location, const TransformsRequest& request);

/// Reads the cameras at `path` as pinholes. `fallback_size` is for files that give only a field of
/// view.
ViewSet load_views(const std::filesystem::path& path, std::optional<ImageSize> fallback_size = {});

}  // namespace mote
