#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/image.h"

namespace mote {

/// A decoded video.
struct DecodedVideo {
  std::string codec;  // "h264", "mpeg4"
  std::string pixel_format, color_space, color_range;
  double frames_per_second = 0, duration_s = 0;
  std::vector<Image8> frames;  // RGB, converted with the BT.709 matrix
};

/// Decodes the file; if it is not a video, fails the test and returns no frames.
DecodedVideo read_video(const std::filesystem::path& path);

}  // namespace mote
