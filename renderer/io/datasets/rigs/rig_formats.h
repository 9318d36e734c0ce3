#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/datasets/posed_images.h"
#include "scene/dataset.h"

namespace mote {

struct RigRequest {
  double frames_per_second = 0;  // of pictures whose format has no rate; 0: unknown
};

/// A format of folders in which several cameras, or one moving camera, film a moving scene.
struct RigFormat {
  std::string_view name;  // for the user
  /// Whether the folder has the files that tell this format. Reads none of them.
  bool (*holds)(const std::filesystem::path& folder);
  /// Reads cameras and times, and lists the pictures; frames of videos are not decoded. Throws
  /// Error, which names file, place and remedy.
  PosedImages (*read)(const std::filesystem::path& folder, const RigRequest& request);
  /// Reads the points of the format; null if it has none.
  PointCloud (*points)(const std::filesystem::path& folder, std::vector<std::string>& warnings);
};

std::span<const RigFormat* const> rig_formats();

/// The format of the folder; null if it is none of them.
const RigFormat* rig_format_of(const std::filesystem::path& folder);

}  // namespace mote
