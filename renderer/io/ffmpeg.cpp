#include "io/ffmpeg.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/error.h"

namespace mote {
namespace {

[[noreturn]] void refuse(const std::string& file) {
  const char* reason = ::dlerror();
  throw Error(fmt::format("FFmpeg's libraries, which videos need, cannot be loaded: {}",
                          reason != nullptr ? reason : "no reason is given"),
              file, "install FFmpeg's libraries, or write pictures instead: give a folder");
}

/// One shared library. It stays loaded: what it has handed out may be in use until the end.
class Library {
 public:
  explicit Library(const std::string& file)
      : file_(file), handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) refuse(file);
  }

  template <class Function>
  void find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(::dlsym(handle_, name));
    if (function == nullptr) refuse(file_);
  }

 private:
  std::string file_;
  void* handle_;
};

void find_avutil(const Library& avutil, Ffmpeg& api) {
  avutil.find("av_d2q", api.av_d2q);
  avutil.find("av_frame_alloc", api.av_frame_alloc);
  avutil.find("av_frame_free", api.av_frame_free);
  avutil.find("av_frame_get_buffer", api.av_frame_get_buffer);
  avutil.find("av_frame_make_writable", api.av_frame_make_writable);
  avutil.find("av_free", api.av_free);
  avutil.find("av_log_format_line2", api.av_log_format_line2);
  avutil.find("av_log_set_callback", api.av_log_set_callback);
  avutil.find("av_malloc", api.av_malloc);
  avutil.find("av_opt_set_int", api.av_opt_set_int);
  avutil.find("av_strerror", api.av_strerror);
}

void find_avcodec(const Library& avcodec, Ffmpeg& api) {
  avcodec.find("av_packet_alloc", api.av_packet_alloc);
  avcodec.find("av_packet_free", api.av_packet_free);
  avcodec.find("av_packet_rescale_ts", api.av_packet_rescale_ts);
  avcodec.find("av_packet_unref", api.av_packet_unref);
  avcodec.find("avcodec_alloc_context3", api.avcodec_alloc_context3);
  avcodec.find("avcodec_find_encoder_by_name", api.avcodec_find_encoder_by_name);
  avcodec.find("avcodec_free_context", api.avcodec_free_context);
  avcodec.find("avcodec_open2", api.avcodec_open2);
  avcodec.find("avcodec_parameters_from_context", api.avcodec_parameters_from_context);
  avcodec.find("avcodec_receive_packet", api.avcodec_receive_packet);
  avcodec.find("avcodec_send_frame", api.avcodec_send_frame);
}

void find_avformat(const Library& avformat, Ffmpeg& api) {
  avformat.find("av_interleaved_write_frame", api.av_interleaved_write_frame);
  avformat.find("av_write_trailer", api.av_write_trailer);
  avformat.find("avformat_alloc_output_context2", api.avformat_alloc_output_context2);
  avformat.find("avformat_free_context", api.avformat_free_context);
  avformat.find("avformat_new_stream", api.avformat_new_stream);
  avformat.find("avformat_write_header", api.avformat_write_header);
  avformat.find("avio_alloc_context", api.avio_alloc_context);
  avformat.find("avio_context_free", api.avio_context_free);
  avformat.find("avio_flush", api.avio_flush);
}

void find_swscale(const Library& swscale, Ffmpeg& api) {
  swscale.find("sws_freeContext", api.sws_freeContext);
  swscale.find("sws_getCoefficients", api.sws_getCoefficients);
  swscale.find("sws_getContext", api.sws_getContext);
  swscale.find("sws_scale", api.sws_scale);
  swscale.find("sws_setColorspaceDetails", api.sws_setColorspaceDetails);
}

}  // namespace

FfmpegFiles::FfmpegFiles()
    : avutil(fmt::format("libavutil.so.{}", LIBAVUTIL_VERSION_MAJOR)),
      avcodec(fmt::format("libavcodec.so.{}", LIBAVCODEC_VERSION_MAJOR)),
      avformat(fmt::format("libavformat.so.{}", LIBAVFORMAT_VERSION_MAJOR)),
      swscale(fmt::format("libswscale.so.{}", LIBSWSCALE_VERSION_MAJOR)) {}

Ffmpeg load_ffmpeg(const FfmpegFiles& files) {
  Ffmpeg api{};
  find_avutil(Library(files.avutil), api);
  find_avcodec(Library(files.avcodec), api);
  find_avformat(Library(files.avformat), api);
  find_swscale(Library(files.swscale), api);
  return api;
}

const Ffmpeg& ffmpeg() {
  // The libraries themselves are loaded once in a process, whoever asks.
  static const Ffmpeg kApi = load_ffmpeg(FfmpegFiles());
  return kApi;
}

}  // namespace mote
