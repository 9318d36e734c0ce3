#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/datasets/photo_import.h"
#include "io/video/video_reading.h"

namespace mote {

/// One of several synchronised videos by cameras that stand still.
struct RigVideo {
  std::string name;  // of the camera: that of the file without its extension
  std::filesystem::path path;
  std::string picture;  // name of its frames as COLMAP gets them
  VideoFacts facts;

  /// Its place in the dataset. Readers know these extensions.
  std::string place() const;
};

/// Whether the path is a folder that holds at least two videos and no photographs.
bool is_video_rig(const std::filesystem::path& folder);

/// The videos of the folder in the natural order of their names. Throws Error where two have one
/// name, one cannot be read, or they have no time in common.
std::vector<RigVideo> list_rig_videos(const std::filesystem::path& folder);

/// Times every `interval_s` that all videos show, s since their first frames.
std::vector<double> common_times(const std::vector<RigVideo>& videos, double interval_s);

/// Writes the frame of each video that is nearest to each of the times as a JPEG, with the video's
/// time of change. `place` gives its path. Each video is decoded once. Frames that cannot be
/// decoded are left out.
void take_moments(
    const std::vector<RigVideo>& videos, const std::vector<double>& times_s,
    const std::function<std::filesystem::path(std::size_t moment, const RigVideo& video)>& place,
    ImportObserver& observer);

}  // namespace mote
