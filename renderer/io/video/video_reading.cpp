// Demuxing by libavformat, decoding by libavcodec, colours by libswscale.
#include "io/video/video_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "io/video/ffmpeg_handles.h"

namespace mote {
namespace {

constexpr int kMostDamaged = 10000;  // frames of a video

constexpr const char* kCopyVideoAgain = "copy the video again, or convert it with ffmpeg";

/// The side data of a stream. From FFmpeg 6.1 on, they are those of its parameters.
template <class Stream>
std::span<const AVPacketSideData> side_data_of(const Stream& stream) {
  const auto all = [](const AVPacketSideData* first, int count) {
    return std::span(first, static_cast<std::size_t>(std::max(count, 0)));
  };
  if constexpr (requires { stream.codecpar->coded_side_data; }) {
    return all(stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data);
  } else {
    return all(stream.side_data, stream.nb_side_data);
  }
}

struct CloseInput {
  void operator()(AVFormatContext* format) const { ffmpeg().avformat_close_input(&format); }
};

/// An opened container and its video stream.
class VideoInput {
 public:
  explicit VideoInput(const std::filesystem::path& path) : file_(path.string()) {
    const InputFile exists(path);  // its errors tell more than FFmpeg's
    take_messages();
    // Other protocols, to which a playlist may refer, are not followed.
    AVDictionary* options = nullptr;
    ffmpeg().av_dict_set(&options, "protocol_whitelist", "file", 0);
    AVFormatContext* format = nullptr;
    const int status =
        ffmpeg().avformat_open_input(&format, ("file:" + file_).c_str(), nullptr, &options);
    ffmpeg().av_dict_free(&options);
    format_.reset(format);
    check(status, "is no video that FFmpeg can read");
    check(ffmpeg().avformat_find_stream_info(format, nullptr), "is a damaged video");
    index_ = ffmpeg().av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    check(index_, "contains no video");
    const AVCodecParameters& parameters = *stream().codecpar;
    const auto usable = [](int side) { return side > 0 && side <= kMaxImageSide; };
    if (!usable(parameters.width) || !usable(parameters.height)) {
      throw Error(fmt::format("has a size of {}x{} pixels", parameters.width, parameters.height),
                  file_, fmt::format("use videos of at most {} pixels a side", kMaxImageSide));
    }
  }

  const std::string& file() const { return file_; }
  const AVStream& stream() const { return *format_->streams[index_]; }
  VideoOrientation orientation() const {
    std::array<std::int32_t, 9> matrix{};
    for (const AVPacketSideData& data : side_data_of(stream())) {
      if (data.type != AV_PKT_DATA_DISPLAYMATRIX || data.size < sizeof matrix) continue;
      std::memcpy(matrix.data(), data.data, sizeof matrix);
      return orientation_of(matrix);
    }
    return {};
  }

  /// Reads the next packet of the stream. Returns false at the end of the file.
  bool next(AVPacket& packet) {
    for (;;) {
      const int status = ffmpeg().av_read_frame(format_.get(), &packet);
      if (status == AVERROR_EOF) return false;
      check(status, "is a damaged video");
      if (packet.stream_index == index_) return true;
      ffmpeg().av_packet_unref(&packet);
    }
  }

  void check(int status, const char* problem) const {
    if (status >= 0) return;
    throw Error(fmt::format("{}: {}", problem, message_of(status)), file_, kCopyVideoAgain);
  }

 private:
  std::string file_;
  std::unique_ptr<AVFormatContext, CloseInput> format_;
  int index_ = -1;
};

}  // namespace

VideoFacts read_video_facts(const std::filesystem::path& path) {
  VideoInput input(path);
  const AVStream& stream = input.stream();
  VideoFacts facts{.width = stream.codecpar->width,
                   .height = stream.codecpar->height,
                   .frames_per_second = 0,
                   .times_s = {}};
  if (input.orientation().swaps_axes) std::swap(facts.width, facts.height);
  std::vector<std::int64_t> moments;
  const std::unique_ptr<AVPacket, FreePacket> packet(allocated(ffmpeg().av_packet_alloc()));
  while (input.next(*packet)) {
    const bool shown = (packet->flags & AV_PKT_FLAG_DISCARD) == 0;
    const std::int64_t moment = packet->pts;
    ffmpeg().av_packet_unref(packet.get());
    if (!shown) continue;
    if (moment == AV_NOPTS_VALUE) {
      throw Error(fmt::format("its frame {} has no time", moments.size()), input.file(),
                  kCopyVideoAgain);
    }
    moments.push_back(moment);
  }
  if (moments.empty()) throw Error("contains no frames", input.file(), kCopyVideoAgain);
  std::ranges::sort(moments);
  const auto repeated = std::ranges::adjacent_find(moments);
  if (repeated != moments.end()) {
    throw Error(fmt::format("two of its frames have the same time, {:.6g} s",
                            static_cast<double>(*repeated) * av_q2d(stream.time_base)),
                input.file(), kCopyVideoAgain);
  }
  facts.first_s = static_cast<double>(moments.front()) * av_q2d(stream.time_base);
  for (const std::int64_t moment : moments) {
    facts.times_s.push_back(static_cast<double>(moment - moments.front()) *
                            av_q2d(stream.time_base));
  }
  constexpr double kRateSteps = 1e5;  // a second; rounding makes rates of equal videos equal
  const double length_s = facts.times_s.back();
  facts.frames_per_second =
      length_s > 0
          ? static_cast<double>(moments.size() - 1) / length_s
          : av_q2d(stream.avg_frame_rate.den > 0 ? stream.avg_frame_rate : AVRational{0, 1});
  facts.frames_per_second = std::round(facts.frames_per_second * kRateSteps) / kRateSteps;
  return facts;
}

VideoOrientation read_video_orientation(const std::filesystem::path& path) {
  return VideoInput(path).orientation();
}

std::uint64_t decoder_bytes(int width, int height, int threads) {
  // Frames that others refer to, 16 in H.264 and HEVC, that which is shown, and one a thread.
  constexpr std::uint64_t kFrames = 17;
  constexpr std::uint64_t kFrameChannels = 3;  // bytes a pixel of 10 bits, or of full colour
  constexpr std::uint64_t kRgbChannels = 9;    // RGB of the scaler, of the caller, and its JPEG
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  const std::uint64_t frames = kFrames + static_cast<std::uint64_t>(std::max(threads, 1));
  return pixels * (frames * kFrameChannels + kRgbChannels);
}

class VideoReader::Decoder {
 public:
  Decoder(const std::filesystem::path& path, int threads)
      : input_(path), orientation_(input_.orientation()) {
    const AVCodecParameters* parameters = input_.stream().codecpar;
    const AVCodec* description = ffmpeg().avcodec_find_decoder(parameters->codec_id);
    if (description == nullptr) {
      throw Error("FFmpeg has no decoder for this video", input_.file(),
                  "convert the video to H.264 with ffmpeg");
    }
    codec_.reset(allocated(ffmpeg().avcodec_alloc_context3(description)));
    input_.check(ffmpeg().avcodec_parameters_to_context(codec_.get(), parameters),
                 "is a damaged video");
    codec_->thread_count = threads;
    input_.check(ffmpeg().avcodec_open2(codec_.get(), description, nullptr),
                 "the video cannot be decoded");
  }

  bool next(Image8& image, double& time_s) {
    for (;;) {
      const int status = ffmpeg().avcodec_receive_frame(codec_.get(), frame_.get());
      if (status == AVERROR_EOF) return false;
      if (status == AVERROR_INVALIDDATA && ++damaged_ < kMostDamaged) continue;
      if (status != AVERROR(EAGAIN)) {
        input_.check(status, "is a damaged video");
        time_s =
            static_cast<double>(frame_->best_effort_timestamp) * av_q2d(input_.stream().time_base);
        convert(image);
        ffmpeg().av_frame_unref(frame_.get());
        return true;
      }
      const bool has_packet = input_.next(*packet_);
      const int sent =
          ffmpeg().avcodec_send_packet(codec_.get(), has_packet ? packet_.get() : nullptr);
      if (has_packet) ffmpeg().av_packet_unref(packet_.get());
      if (sent != AVERROR_INVALIDDATA) input_.check(sent, "is a damaged video");
    }
  }

 private:
  void convert(Image8& image) {
    const AVFrame& frame = *frame_;
    if (frame.width <= 0 || frame.height <= 0 || frame.width > kMaxImageSide ||
        frame.height > kMaxImageSide) {
      throw Error("its frames have an unusable size", input_.file(), kCopyVideoAgain);
    }
    const auto format = static_cast<AVPixelFormat>(frame.format);
    if (!scaler_ || format != format_ || frame.width != width_ || frame.height != height_) {
      make_scaler(frame, format);
    }
    ffmpeg().sws_scale(scaler_.get(), frame.data, frame.linesize, 0, frame.height, rgb_->data,
                       rgb_->linesize);
    put_as_shown(rgb_->data[0], rgb_->linesize[0], frame.width, frame.height, orientation_, image);
  }

  void make_scaler(const AVFrame& frame, AVPixelFormat format) {
    constexpr int kRowsOfHd = 720;
    scaler_.reset(ffmpeg().sws_getContext(
        frame.width, frame.height, format, frame.width, frame.height, AV_PIX_FMT_RGB24,
        SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr, nullptr, nullptr));
    if (!scaler_) {
      throw Error("its colours cannot be converted", input_.file(),
                  "convert the video to H.264 with ffmpeg");
    }
    int matrix = static_cast<int>(frame.colorspace);
    if (frame.colorspace == AVCOL_SPC_UNSPECIFIED || frame.colorspace == AVCOL_SPC_RGB) {
      matrix = frame.height >= kRowsOfHd ? SWS_CS_ITU709 : SWS_CS_ITU601;
    }
    const bool is_full = frame.color_range == AVCOL_RANGE_JPEG;
    constexpr int kFull = 1, kOne = 1 << 16;
    ffmpeg().sws_setColorspaceDetails(scaler_.get(), ffmpeg().sws_getCoefficients(matrix),
                                      is_full ? 1 : 0, ffmpeg().sws_getCoefficients(matrix), kFull,
                                      0, kOne, kOne);
    rgb_ = make_frame(AV_PIX_FMT_RGB24, frame.width, frame.height);
    format_ = format;
    width_ = frame.width;
    height_ = frame.height;
  }

  VideoInput input_;
  const VideoOrientation orientation_;
  std::unique_ptr<AVCodecContext, FreeCodec> codec_;
  std::unique_ptr<AVFrame, FreeFrame> frame_{allocated(ffmpeg().av_frame_alloc())}, rgb_;
  std::unique_ptr<AVPacket, FreePacket> packet_{allocated(ffmpeg().av_packet_alloc())};
  std::unique_ptr<SwsContext, FreeScaler> scaler_;
  AVPixelFormat format_ = AV_PIX_FMT_NONE;
  int width_ = 0, height_ = 0, damaged_ = 0;
};

VideoReader::VideoReader(const std::filesystem::path& path, int threads)
    : decoder_(std::make_unique<Decoder>(path, threads)) {}

VideoReader::~VideoReader() = default;

bool VideoReader::next(Image8& frame, double& time_s) {
  return decoder_->next(frame, time_s);
}

}  // namespace mote
