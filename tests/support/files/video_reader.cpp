#include "video_reader.h"

#include <gtest/gtest.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace mote {
namespace {

Image8 rgb_of(const AVFrame& frame) {
  Image8 image;
  image.resize_discard(frame.width, frame.height, 3);
  SwsContext* scaler = sws_getContext(
      frame.width, frame.height, static_cast<AVPixelFormat>(frame.format), frame.width,
      frame.height, AV_PIX_FMT_RGB24, SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr,
      nullptr, nullptr);
  const int* bt709 = sws_getCoefficients(SWS_CS_ITU709);
  sws_setColorspaceDetails(scaler, bt709, 0, bt709, 1, 0, 1 << 16, 1 << 16);
  std::uint8_t* planes[] = {image.pixels.data()};
  const int strides[] = {3 * frame.width};
  sws_scale(scaler, frame.data, frame.linesize, 0, frame.height, planes, strides);
  sws_freeContext(scaler);
  return image;
}

/// Decodes a packet; without one, decodes the remaining frames.
void decode(AVCodecContext& codec, const AVPacket* packet, DecodedVideo& video) {
  ASSERT_GE(avcodec_send_packet(&codec, packet), 0);
  AVFrame* frame = av_frame_alloc();
  while (avcodec_receive_frame(&codec, frame) >= 0) {
    const char* space = av_color_space_name(frame->colorspace);
    const char* range = av_color_range_name(frame->color_range);
    video.color_space = space != nullptr ? space : "";
    video.color_range = range != nullptr ? range : "";
    video.frames.push_back(rgb_of(*frame));
  }
  av_frame_free(&frame);
}

void decode_all(AVFormatContext& format, DecodedVideo& video) {
  ASSERT_GE(avformat_find_stream_info(&format, nullptr), 0);
  ASSERT_EQ(format.nb_streams, 1u);
  const AVStream& stream = *format.streams[0];
  const AVCodec* decoder = avcodec_find_decoder(stream.codecpar->codec_id);
  ASSERT_NE(decoder, nullptr);
  AVCodecContext* codec = avcodec_alloc_context3(decoder);
  avcodec_parameters_to_context(codec, stream.codecpar);
  ASSERT_GE(avcodec_open2(codec, decoder, nullptr), 0);
  video.codec = avcodec_get_name(stream.codecpar->codec_id);
  video.pixel_format = av_get_pix_fmt_name(codec->pix_fmt);
  video.frames_per_second = av_q2d(stream.avg_frame_rate);
  video.duration_s = static_cast<double>(stream.duration) * av_q2d(stream.time_base);
  AVPacket* packet = av_packet_alloc();
  while (av_read_frame(&format, packet) >= 0) {
    decode(*codec, packet, video);
    av_packet_unref(packet);
  }
  decode(*codec, nullptr, video);
  av_packet_free(&packet);
  avcodec_free_context(&codec);
}

}  // namespace

DecodedVideo read_video(const std::filesystem::path& path) {
  DecodedVideo video;
  AVFormatContext* format = nullptr;
  av_log_set_level(AV_LOG_ERROR);
  const int status = avformat_open_input(&format, path.c_str(), nullptr, nullptr);
  EXPECT_GE(status, 0) << path << " is no video";
  if (status < 0) return video;
  decode_all(*format, video);
  avformat_close_input(&format);
  return video;
}

}  // namespace mote
