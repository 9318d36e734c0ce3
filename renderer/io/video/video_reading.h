#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/image.h"
#include "io/video/video_orientation.h"

namespace mote {

/// A video's size and the moments of its frames, from its container, without decoding it.
struct VideoFacts {
  int width = 0, height = 0;     // px, of frames as they are shown
  double frames_per_second = 0;  // mean rate of its frames
  double first_s = 0;            // when the first frame is shown
  std::vector<double> times_s;   // when each frame is shown, ascending, after the first
};

/// Reads the facts. Throws Error where the file is missing, no video, of a length that cannot be
/// told, or where its frames have no times or two frames one time.
VideoFacts read_video_facts(const std::filesystem::path& path);

/// The way in which the frames of a video are turned before they are shown. Throws as
/// read_video_facts() does, but does not read the frames.
VideoOrientation read_video_orientation(const std::filesystem::path& path);

/// Upper bound on the memory of a VideoReader for frames of this size, with so many threads.
std::uint64_t decoder_bytes(int width, int height, int threads);

/// Decodes the frames of a video one after another. Not thread safe; the decoder has its own
/// threads.
class VideoReader {
 public:
  /// `threads` = 0: chosen by the decoder. Throws Error where the file is missing or no video, or
  /// no decoder or no FFmpeg exists.
  explicit VideoReader(const std::filesystem::path& path, int threads = 0);
  ~VideoReader();
  VideoReader(const VideoReader&) = delete;
  VideoReader& operator=(const VideoReader&) = delete;

  /// The next frame in the order of display, turned as the video announces it, display-referred, 3
  /// channels; colours by the matrix and range that the video announces, otherwise BT.709 from 720
  /// coded rows on and BT.601 below.
  /// `time_s`: when it is shown, as VideoFacts::first_s + times_s. Frames that are too damaged to
  /// be decoded are passed over. Returns false after the last one.
  bool next(Image8& frame, double& time_s);

 private:
  class Decoder;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace mote
