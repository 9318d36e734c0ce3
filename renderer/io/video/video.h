#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "core/image.h"

namespace mote {

/// A video encoder.
struct VideoEncoder {
  std::string_view name;   // name in FFmpeg's libraries: "libx264"
  std::string_view codec;  // shown to the user: "H.264"
};

/// The encoders of the installed FFmpeg libraries, best first. Throws Error where the libraries are
/// missing. The first call of a function of this header loads them.
std::vector<VideoEncoder> video_encoders();

struct VideoSettings {
  int width = 0, height = 0;  // px, of the frames
  double frames_per_second = 30;
  /// 1 (best) to 51 (smallest file), like x264's constant rate factor. 0 is excluded, since most
  /// players cannot decode it. Other encoders use a similar setting.
  int crf = 18;
  std::string encoder = {};               // one of video_encoders(); empty: the first that works
  Existing existing = Existing::replace;  // policy for an existing file
};

/// A video in an MP4 file: frames of display-referred colour in order, as YUV 4:2:0 with limited
/// range and BT.709 matrix, primaries and transfer, tagged as such. Odd sides, which 4:2:0 does not
/// allow, are extended by a repeated column or row. The file appears at commit(), complete or not
/// at all. Not thread safe; the encoder has its own threads.
class VideoWriter {
 public:
  /// Throws Error where the file cannot be written, no encoder or no FFmpeg exists, or the encoder
  /// rejects the size.
  VideoWriter(const std::filesystem::path& path, const VideoSettings& settings);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// The encoder in use.
  VideoEncoder encoder() const;
  /// The size in the file, px: that of the frames with both sides made even.
  int width() const;
  int height() const;
  std::size_t frames() const;

  /// Appends a frame of the settings' size with 3 channels, or with 1 as grey; clamped to 0..1.
  /// Throws Error where the disk is full or the encoder fails.
  void add(const Image& frame);
  /// Finishes the file and renames it into place. CHECKs that there is a frame.
  void commit();

 private:
  class Muxer;
  class Encoder;
  std::unique_ptr<Muxer> muxer_;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace mote
