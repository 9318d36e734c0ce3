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

/// An encoder that writing a video can take.
struct VideoEncoder {
  std::string_view name;   // as FFmpeg's libraries call it: "libx264"
  std::string_view codec;  // for a person: "H.264"
};

/// Those that the installed FFmpeg libraries have, best first. Throws Error where there are no such
/// libraries; they are loaded by the first call of anything here.
std::vector<VideoEncoder> video_encoders();

struct VideoSettings {
  int width = 0, height = 0;  // px, of the frames
  double frames_per_second = 30;
  /// 1 (best) to 51 (smallest file), as x264's constant rate factor, whose 0 most players cannot
  /// show; other encoders take what comes near.
  int crf = 18;
  std::string encoder = {};  // one of video_encoders(); empty takes the first that works
  Existing existing = Existing::replace;  // a file of that name
};

/// A video in an MP4 file: frames of display-referred colour in order, as YUV 4:2:0 of limited
/// range with the matrix, primaries and transfer of BT.709, and tagged so. Sides that are odd,
/// which 4:2:0 cannot have, grow by a repeated column or row. The file appears whole at commit() or
/// not at all. For one thread; the encoder has threads of its own.
class VideoWriter {
 public:
  /// Throws Error where the file cannot be written, no encoder or no FFmpeg is there, or it refuses
  /// the size.
  VideoWriter(const std::filesystem::path& path, const VideoSettings& settings);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// What is encoded with.
  VideoEncoder encoder() const;
  /// The size in the file, px: the frames' with both sides even.
  int width() const;
  int height() const;
  std::size_t frames() const;

  /// Appends a frame of the settings' size with 3 channels, or 1 as grey: clamped to 0..1. Throws
  /// Error where the disk is full or the encoder fails.
  void add(const Image& frame);
  /// Ends the file and puts it into its place. CHECKs that there is a frame.
  void commit();

 private:
  class Muxer;
  class Encoder;
  std::unique_ptr<Muxer> muxer_;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace mote
