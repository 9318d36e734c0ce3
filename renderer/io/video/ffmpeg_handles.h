#pragma once

// Owners of FFmpeg's objects, and its messages. These are C libraries: no exception may pass
// through them.

#include <array>
#include <cstdarg>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "core/log.h"
#include "io/video/ffmpeg.h"

namespace mote {

struct FreeCodec {
  void operator()(AVCodecContext* codec) const { ffmpeg().avcodec_free_context(&codec); }
};
struct FreeFrame {
  void operator()(AVFrame* frame) const { ffmpeg().av_frame_free(&frame); }
};
struct FreePacket {
  void operator()(AVPacket* packet) const { ffmpeg().av_packet_free(&packet); }
};
struct FreeScaler {
  void operator()(SwsContext* scaler) const { ffmpeg().sws_freeContext(scaler); }
};

template <class T>
T* allocated(T* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

inline std::unique_ptr<AVFrame, FreeFrame> make_frame(AVPixelFormat format, int width, int height) {
  std::unique_ptr<AVFrame, FreeFrame> frame(allocated(ffmpeg().av_frame_alloc()));
  frame->format = format;
  frame->width = width;
  frame->height = height;
  if (ffmpeg().av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc();
  return frame;
}

inline std::string message_of(int status) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  ffmpeg().av_strerror(status, text.data(), text.size());
  return text.data();
}

/// Writes the libraries' messages to the log, for --verbose.
inline void log_message(void* context, int level, const char* format, std::va_list arguments) {
  if (level > AV_LOG_WARNING) return;
  std::array<char, 1024> line{};
  int prefix = 1;
  ffmpeg().av_log_format_line2(context, level, format, arguments, line.data(),
                               static_cast<int>(line.size()), &prefix);
  std::string_view text(line.data());
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (!text.empty()) log_line(LogLevel::detail, text);
}

inline void take_messages() {
  static std::once_flag taken;
  std::call_once(taken, [] { ffmpeg().av_log_set_callback(log_message); });
}

}  // namespace mote
