#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/image.h"

namespace mote {

/// A video decoded again, all of it.
struct DecodedVideo {
  std::string codec;  // "h264", "mpeg4"
  std::string pixel_format, color_space, color_range;
  double frames_per_second = 0, duration_s = 0;
  std::vector<Image8> frames;  // RGB, by the matrix of BT.709
};

/// Fails the test, and gives no frames, where the file is no video.
DecodedVideo read_video(const std::filesystem::path& path);

}  // namespace mote
