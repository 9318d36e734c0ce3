#include "io/video/ffmpeg.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <functional>
#include <initializer_list>

#include "core/error.h"

namespace mote {
namespace {

[[noreturn]] void refuse_library(const std::string& file) {
  const char* reason = ::dlerror();
  throw Error(fmt::format("videos need FFmpeg's libraries, which cannot be loaded: {}",
                          reason != nullptr ? reason : "no reason is given"),
              file, "install FFmpeg's libraries, or give a folder to write pictures instead");
}

/// A function to load from a library, and the pointer to set.
class Wanted {
 public:
  template <class Function>
  Wanted(const char* name, Function*& place)
      : name_(name), put_([&place](void* found) { place = reinterpret_cast<Function*>(found); }) {}

  void find_in(void* library, const std::string& file) const {
    void* found = ::dlsym(library, name_);
    if (found == nullptr) refuse_library(file);
    put_(found);
  }

 private:
  const char* name_;
  std::function<void(void*)> put_;
};

/// Loads a shared library. It is never unloaded: its objects may be in use until the end.
void load(const std::string& file, std::initializer_list<Wanted> functions) {
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse_library(file);
  for (const Wanted& function : functions) function.find_in(library, file);
}

}  // namespace

FfmpegFiles::FfmpegFiles()
    : avutil(fmt::format("libavutil.so.{}", LIBAVUTIL_VERSION_MAJOR)),
      avcodec(fmt::format("libavcodec.so.{}", LIBAVCODEC_VERSION_MAJOR)),
      avformat(fmt::format("libavformat.so.{}", LIBAVFORMAT_VERSION_MAJOR)),
      swscale(fmt::format("libswscale.so.{}", LIBSWSCALE_VERSION_MAJOR)) {}

Ffmpeg load_ffmpeg(const FfmpegFiles& files) {
  Ffmpeg api{};
  load(files.avutil, {{"av_d2q", api.av_d2q},
                      {"av_dict_free", api.av_dict_free},
                      {"av_dict_set", api.av_dict_set},
                      {"av_frame_alloc", api.av_frame_alloc},
                      {"av_frame_free", api.av_frame_free},
                      {"av_frame_get_buffer", api.av_frame_get_buffer},
                      {"av_frame_make_writable", api.av_frame_make_writable},
                      {"av_frame_unref", api.av_frame_unref},
                      {"av_free", api.av_free},
                      {"av_log_format_line2", api.av_log_format_line2},
                      {"av_log_set_callback", api.av_log_set_callback},
                      {"av_malloc", api.av_malloc},
                      {"av_opt_set_int", api.av_opt_set_int},
                      {"av_strerror", api.av_strerror}});
  load(files.avcodec, {{"av_packet_alloc", api.av_packet_alloc},
                       {"av_packet_free", api.av_packet_free},
                       {"av_packet_rescale_ts", api.av_packet_rescale_ts},
                       {"av_packet_unref", api.av_packet_unref},
                       {"avcodec_alloc_context3", api.avcodec_alloc_context3},
                       {"avcodec_find_decoder", api.avcodec_find_decoder},
                       {"avcodec_find_encoder_by_name", api.avcodec_find_encoder_by_name},
                       {"avcodec_free_context", api.avcodec_free_context},
                       {"avcodec_open2", api.avcodec_open2},
                       {"avcodec_parameters_from_context", api.avcodec_parameters_from_context},
                       {"avcodec_parameters_to_context", api.avcodec_parameters_to_context},
                       {"avcodec_receive_frame", api.avcodec_receive_frame},
                       {"avcodec_send_packet", api.avcodec_send_packet},
                       {"avcodec_receive_packet", api.avcodec_receive_packet},
                       {"avcodec_send_frame", api.avcodec_send_frame}});
  load(files.avformat, {{"av_find_best_stream", api.av_find_best_stream},
                        {"av_read_frame", api.av_read_frame},
                        {"avformat_close_input", api.avformat_close_input},
                        {"avformat_find_stream_info", api.avformat_find_stream_info},
                        {"avformat_open_input", api.avformat_open_input},
                        {"av_interleaved_write_frame", api.av_interleaved_write_frame},
                        {"av_write_trailer", api.av_write_trailer},
                        {"avformat_alloc_output_context2", api.avformat_alloc_output_context2},
                        {"avformat_free_context", api.avformat_free_context},
                        {"avformat_new_stream", api.avformat_new_stream},
                        {"avformat_write_header", api.avformat_write_header},
                        {"avio_alloc_context", api.avio_alloc_context},
                        {"avio_context_free", api.avio_context_free},
                        {"avio_flush", api.avio_flush}});
  load(files.swscale, {{"sws_freeContext", api.sws_freeContext},
                       {"sws_getCoefficients", api.sws_getCoefficients},
                       {"sws_getContext", api.sws_getContext},
                       {"sws_scale", api.sws_scale},
                       {"sws_setColorspaceDetails", api.sws_setColorspaceDetails}});
  return api;
}

const Ffmpeg& ffmpeg() {
  // The libraries are loaded only once per process.
  static const Ffmpeg kApi = load_ffmpeg(FfmpegFiles());
  return kApi;
}

}  // namespace mote
