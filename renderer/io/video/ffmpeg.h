#pragma once

// FFmpeg's libraries, loaded when the first video is read or written. If they were linked, they and
// about a hundred dependencies would be loaded at every start, and the program would not start
// without them.

#include <string>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

namespace mote {

/// The FFmpeg functions in use, under their own names.
struct Ffmpeg {
  decltype(&::av_d2q) av_d2q;
  decltype(&::av_dict_free) av_dict_free;
  decltype(&::av_dict_set) av_dict_set;
  decltype(&::av_frame_alloc) av_frame_alloc;
  decltype(&::av_frame_free) av_frame_free;
  decltype(&::av_frame_get_buffer) av_frame_get_buffer;
  decltype(&::av_frame_make_writable) av_frame_make_writable;
  decltype(&::av_frame_unref) av_frame_unref;
  decltype(&::av_free) av_free;
  decltype(&::av_log_format_line2) av_log_format_line2;
  decltype(&::av_log_set_callback) av_log_set_callback;
  decltype(&::av_malloc) av_malloc;
  decltype(&::av_opt_set_int) av_opt_set_int;
  decltype(&::av_strerror) av_strerror;

  decltype(&::av_packet_alloc) av_packet_alloc;
  decltype(&::av_packet_free) av_packet_free;
  decltype(&::av_packet_rescale_ts) av_packet_rescale_ts;
  decltype(&::av_packet_unref) av_packet_unref;
  decltype(&::avcodec_alloc_context3) avcodec_alloc_context3;
  decltype(&::avcodec_find_decoder) avcodec_find_decoder;
  decltype(&::avcodec_find_encoder_by_name) avcodec_find_encoder_by_name;
  decltype(&::avcodec_free_context) avcodec_free_context;
  decltype(&::avcodec_open2) avcodec_open2;
  decltype(&::avcodec_parameters_from_context) avcodec_parameters_from_context;
  decltype(&::avcodec_parameters_to_context) avcodec_parameters_to_context;
  decltype(&::avcodec_receive_frame) avcodec_receive_frame;
  decltype(&::avcodec_receive_packet) avcodec_receive_packet;
  decltype(&::avcodec_send_frame) avcodec_send_frame;
  decltype(&::avcodec_send_packet) avcodec_send_packet;

  decltype(&::av_find_best_stream) av_find_best_stream;
  decltype(&::av_interleaved_write_frame) av_interleaved_write_frame;
  decltype(&::av_read_frame) av_read_frame;
  decltype(&::av_write_trailer) av_write_trailer;
  decltype(&::avformat_alloc_output_context2) avformat_alloc_output_context2;
  decltype(&::avformat_close_input) avformat_close_input;
  decltype(&::avformat_find_stream_info) avformat_find_stream_info;
  decltype(&::avformat_free_context) avformat_free_context;
  decltype(&::avformat_new_stream) avformat_new_stream;
  decltype(&::avformat_open_input) avformat_open_input;
  decltype(&::avformat_write_header) avformat_write_header;
  decltype(&::avio_alloc_context) avio_alloc_context;
  decltype(&::avio_context_free) avio_context_free;
  decltype(&::avio_flush) avio_flush;

  decltype(&::sws_freeContext) sws_freeContext;
  decltype(&::sws_getCoefficients) sws_getCoefficients;
  decltype(&::sws_getContext) sws_getContext;
  decltype(&::sws_scale) sws_scale;
  decltype(&::sws_setColorspaceDetails) sws_setColorspaceDetails;
};

/// File names of the libraries, in the versions that Mote was built with.
struct FfmpegFiles {
  std::string avutil, avcodec, avformat, swscale;

  FfmpegFiles();
};

/// Loads the libraries permanently. Throws Error where a library or a function is missing.
Ffmpeg load_ffmpeg(const FfmpegFiles& files);

/// The libraries of the versions that Mote was built with, loaded at the first call. Throws as
/// load_ffmpeg().
const Ffmpeg& ffmpeg();

}  // namespace mote
