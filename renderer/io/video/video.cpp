// Encoding by libavcodec, MP4 by libavformat, colours by libswscale. These are C libraries: no
// exception may pass through them.
#include "io/video/video.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "io/video/ffmpeg_handles.h"

namespace mote {
namespace {

/// Interval of keyframes, where a player can seek to.
constexpr double kKeyframeInterval_s = 2;

constexpr std::array<VideoEncoder, 2> kEncoders{{
    {"libx264", "H.264"},
    {"mpeg4", "MPEG-4 part 2"},
}};

struct FreeFormat {
  void operator()(AVFormatContext* format) const { ffmpeg().avformat_free_context(format); }
};
struct FreeIo {
  void operator()(AVIOContext* io) const {
    ffmpeg().av_free(io->buffer);
    ffmpeg().avio_context_free(&io);
  }
};

/// Clamps and rounds to 8-bit RGB. The last column and row are repeated to fill the frame.
void fill_rgb(const Image& image, AVFrame& frame) {
  const auto channels = static_cast<std::size_t>(image.channels);
  for (int y = 0; y < frame.height; ++y) {
    const float* in = image.row(std::min(y, image.height - 1));
    std::uint8_t* out = frame.data[0] + static_cast<std::ptrdiff_t>(y) * frame.linesize[0];
    for (int x = 0; x < frame.width; ++x) {
      const float* pixel = in + static_cast<std::size_t>(std::min(x, image.width - 1)) * channels;
      for (std::size_t c = 0; c < 3; ++c) {
        const float value = std::clamp(pixel[std::min(c, channels - 1)], 0.0f, 1.0f);
        *out++ = static_cast<std::uint8_t>(std::lrintf(value * 255.0f));
      }
    }
  }
}

}  // namespace

std::vector<VideoEncoder> video_encoders() {
  std::vector<VideoEncoder> found;
  for (const VideoEncoder& encoder : kEncoders) {
    const AVCodec* codec = ffmpeg().avcodec_find_encoder_by_name(encoder.name.data());
    if (codec != nullptr) found.push_back(encoder);
  }
  return found;
}

/// Encodes frames into packets.
class VideoWriter::Encoder {
 public:
  Encoder(const VideoSettings& settings, const std::string& file) : file_(file) {
    int status = AVERROR_ENCODER_NOT_FOUND;
    for (const VideoEncoder& candidate : video_encoders()) {
      if (!settings.encoder.empty() && settings.encoder != candidate.name) continue;
      kind_ = candidate;
      status = open(settings);
      if (status >= 0) break;
      log_detail("{} cannot be used: {}", candidate.name, message_of(status));
    }
    if (status < 0) {
      throw Error(
          fmt::format("no video encoder supports {}x{} pixels at {:.6g} frames per second: {}",
                      settings.width, settings.height, settings.frames_per_second,
                      message_of(status)),
          file, "choose another size, or give a folder to write pictures instead");
    }
    rgb_ = make_frame(AV_PIX_FMT_RGB24, codec_->width, codec_->height);
    yuv_ = make_frame(codec_->pix_fmt, codec_->width, codec_->height);
    yuv_->color_range = codec_->color_range;
    yuv_->colorspace = codec_->colorspace;
    make_scaler();
  }

  const VideoEncoder& kind() const { return kind_; }
  const AVCodecContext& codec() const { return *codec_; }
  std::size_t frames() const { return frames_; }

  /// Encodes a frame, or flushes the encoder without one. Passes every finished packet to
  /// `take(packet)`.
  template <class Take>
  void encode(const Image* image, const Take& take) {
    if (image != nullptr) convert(*image);
    check(ffmpeg().avcodec_send_frame(codec_.get(), image != nullptr ? yuv_.get() : nullptr));
    for (;;) {
      const int status = ffmpeg().avcodec_receive_packet(codec_.get(), packet_.get());
      if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
      check(status);
      if (packet_->duration == 0) packet_->duration = 1;
      take(*packet_);
      ffmpeg().av_packet_unref(packet_.get());
    }
  }

 private:
  int open(const VideoSettings& settings) {
    const AVCodec* description = ffmpeg().avcodec_find_encoder_by_name(kind_.name.data());
    codec_.reset(allocated(ffmpeg().avcodec_alloc_context3(description)));
    constexpr int kMaxDenominator = 65535;  // the limit of MPEG-4 part 2
    codec_->framerate = ffmpeg().av_d2q(settings.frames_per_second, kMaxDenominator);
    const double rate = av_q2d(codec_->framerate), wanted = settings.frames_per_second;
    if (!(std::abs(rate - wanted) < 1e-3 * wanted)) return AVERROR(EINVAL);
    codec_->time_base = av_inv_q(codec_->framerate);
    codec_->width = (settings.width + 1) / 2 * 2;
    codec_->height = (settings.height + 1) / 2 * 2;
    codec_->pix_fmt = AV_PIX_FMT_YUV420P;
    codec_->color_range = AVCOL_RANGE_MPEG;
    codec_->colorspace = AVCOL_SPC_BT709;
    codec_->color_primaries = AVCOL_PRI_BT709;
    codec_->color_trc = AVCOL_TRC_BT709;
    codec_->gop_size = std::max(
        1, static_cast<int>(std::lround(kKeyframeInterval_s * settings.frames_per_second)));
    codec_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    codec_->thread_count = 0;  // 0: chosen by the encoder
    if (kind_.name == "libx264") {
      ffmpeg().av_opt_set_int(codec_->priv_data, "crf", settings.crf, 0);
    } else {
      // These encoders have quantisers 1 to 31; x264 has 0 to 51, where six double the step.
      const double quantiser = std::clamp(std::exp2((settings.crf - 12) / 6.0), 1.0, 31.0);
      codec_->flags |= AV_CODEC_FLAG_QSCALE;
      codec_->global_quality = static_cast<int>(std::lround(FF_QP2LAMBDA * quantiser));
    }
    return ffmpeg().avcodec_open2(codec_.get(), description, nullptr);
  }

  void make_scaler() {
    scaler_.reset(ffmpeg().sws_getContext(codec_->width, codec_->height, AV_PIX_FMT_RGB24,
                                          codec_->width, codec_->height, codec_->pix_fmt,
                                          SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP,
                                          nullptr, nullptr, nullptr));
    if (!scaler_) {
      throw Error("the size cannot be converted to video", file_, "choose another size");
    }
    const int* bt709 = ffmpeg().sws_getCoefficients(SWS_CS_ITU709);
    constexpr int kFull = 1, kLimited = 0, kOne = 1 << 16;
    ffmpeg().sws_setColorspaceDetails(scaler_.get(), bt709, kFull, bt709, kLimited, 0, kOne, kOne);
  }

  void convert(const Image& image) {
    fill_rgb(image, *rgb_);
    // The encoder may still refer to the previous frame.
    check(ffmpeg().av_frame_make_writable(yuv_.get()));
    ffmpeg().sws_scale(scaler_.get(), rgb_->data, rgb_->linesize, 0, codec_->height, yuv_->data,
                       yuv_->linesize);
    yuv_->pts = static_cast<std::int64_t>(frames_++);
  }

  void check(int status) const {
    if (status >= 0) return;
    throw Error("encoding failed: " + message_of(status), file_,
                "give a folder to write pictures instead");
  }

  std::string file_;
  VideoEncoder kind_;
  std::unique_ptr<AVCodecContext, FreeCodec> codec_;
  std::unique_ptr<SwsContext, FreeScaler> scaler_;
  std::unique_ptr<AVFrame, FreeFrame> rgb_, yuv_;
  std::unique_ptr<AVPacket, FreePacket> packet_{allocated(ffmpeg().av_packet_alloc())};
  std::size_t frames_ = 0;
};

/// Writes packets to the file.
class VideoWriter::Muxer {
 public:
  Muxer(const std::filesystem::path& path, Existing existing) : file_(path, existing) {
    constexpr int kBufferBytes = 1 << 16;
    auto* buffer = static_cast<unsigned char*>(allocated(ffmpeg().av_malloc(kBufferBytes)));
    io_.reset(
        ffmpeg().avio_alloc_context(buffer, kBufferBytes, 1, this, nullptr, &write_bytes, &seek));
    if (!io_) {
      ffmpeg().av_free(buffer);
      throw std::bad_alloc();
    }
    AVFormatContext* format = nullptr;
    check(ffmpeg().avformat_alloc_output_context2(&format, nullptr, "mp4", nullptr));
    format_.reset(format);
    format_->pb = io_.get();
    format_->flags |= AVFMT_FLAG_CUSTOM_IO;
  }

  void begin(const AVCodecContext& codec) {
    stream_ = allocated(ffmpeg().avformat_new_stream(format_.get(), nullptr));
    check(ffmpeg().avcodec_parameters_from_context(stream_->codecpar, &codec));
    stream_->time_base = packet_time_base_ = codec.time_base;
    stream_->avg_frame_rate = codec.framerate;
    check(ffmpeg().avformat_write_header(format_.get(), nullptr));
  }

  void put(AVPacket& packet) {
    ffmpeg().av_packet_rescale_ts(&packet, packet_time_base_, stream_->time_base);
    packet.stream_index = stream_->index;
    check(ffmpeg().av_interleaved_write_frame(format_.get(), &packet));
  }

  void commit() {
    check(ffmpeg().av_write_trailer(format_.get()));
    ffmpeg().avio_flush(io_.get());
    check(io_->error);
    file_.commit();
  }

 private:
  /// Called by libavformat. The type of the bytes differs between its versions.
  template <class Byte>
  static int write_bytes(void* self, Byte* bytes, int count) {
    return static_cast<Muxer*>(self)->write(
        std::as_bytes(std::span<const std::uint8_t>(bytes, static_cast<std::size_t>(count))));
  }

  static std::int64_t seek(void* self, std::int64_t offset, int whence) {
    Muxer& muxer = *static_cast<Muxer*>(self);
    if (whence == AVSEEK_SIZE) return static_cast<std::int64_t>(muxer.end_);
    if (whence != SEEK_SET || offset < 0 || static_cast<std::uint64_t>(offset) > muxer.end_) {
      return AVERROR(EINVAL);
    }
    muxer.position_ = static_cast<std::uint64_t>(offset);
    return offset;
  }

  /// Overwrites existing bytes and appends the rest.
  int write(std::span<const std::byte> bytes) {
    try {
      const std::size_t old =
          std::min<std::size_t>(bytes.size(), static_cast<std::size_t>(end_ - position_));
      if (old > 0) file_.overwrite(position_, bytes.first(old));
      if (old < bytes.size()) file_.write(bytes.subspan(old));
      position_ += bytes.size();
      end_ = std::max(end_, position_);
      return static_cast<int>(bytes.size());
    } catch (...) {
      fault_ = std::current_exception();
      return AVERROR(EIO);
    }
  }

  void check(int status) const {
    if (fault_) std::rethrow_exception(fault_);
    if (status >= 0) return;
    throw Error("writing the video failed: " + message_of(status), file_.name(),
                "give a folder to write pictures instead");
  }

  OutputFile file_;
  std::uint64_t position_ = 0, end_ = 0;
  std::exception_ptr fault_;  // error of the file, rethrown after libavformat has returned
  std::unique_ptr<AVIOContext, FreeIo> io_;
  std::unique_ptr<AVFormatContext, FreeFormat> format_;
  AVStream* stream_ = nullptr;
  AVRational packet_time_base_{0, 1};
};

VideoWriter::VideoWriter(const std::filesystem::path& path, const VideoSettings& settings) {
  CHECK(settings.width > 0 && settings.height > 0 && settings.frames_per_second > 0);
  take_messages();
  muxer_ = std::make_unique<Muxer>(path, settings.existing);
  encoder_ = std::make_unique<Encoder>(settings, path.string());
  muxer_->begin(encoder_->codec());
}

VideoWriter::~VideoWriter() = default;

VideoEncoder VideoWriter::encoder() const {
  return encoder_->kind();
}

int VideoWriter::width() const {
  return encoder_->codec().width;
}

int VideoWriter::height() const {
  return encoder_->codec().height;
}

std::size_t VideoWriter::frames() const {
  return encoder_->frames();
}

void VideoWriter::add(const Image& frame) {
  CHECK((frame.width + 1) / 2 * 2 == width() && (frame.height + 1) / 2 * 2 == height());
  CHECK(frame.channels == 3 || frame.channels == 1);
  encoder_->encode(&frame, [&](AVPacket& packet) { muxer_->put(packet); });
}

void VideoWriter::commit() {
  CHECK(frames() > 0);
  encoder_->encode(nullptr, [&](AVPacket& packet) { muxer_->put(packet); });
  muxer_->commit();
}

}  // namespace mote
