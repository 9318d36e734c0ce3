#pragma once

#include <filesystem>
#include <string>

#include "io/datasets/photo_import.h"

namespace mote {

/// Whether the name of the path is that of a video file.
bool is_video(const std::filesystem::path& path);

/// Throws Error where there is no such file.
void check_video(const std::filesystem::path& video);

/// Throws Error with advice where the program is missing, does not run, or is not ffmpeg.
void check_ffmpeg(const std::string& program);

/// Takes frames out of the video at a constant rate and writes them as JPEG into the folder:
/// frame_00001.jpg, ... They get the video's time of change, so that the same frames are recognised
/// later. Throws Error where there are none or the program fails.
void take_frames(const std::filesystem::path& video, const std::filesystem::path& folder,
                 const ImportOptions& options, ImportObserver& observer);

/// The length of the video in seconds, from a line of ffmpeg's output such as
/// "  Duration: 00:01:02.50, start: ..."; negative where the line has none.
double duration_in(std::string_view line);

}  // namespace mote
