#include "core/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/dist_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <mutex>

#include "core/growing_file.h"

namespace mote {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::detail:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

LogLevel level_of(spdlog::level::level_enum level) {
  if (level >= spdlog::level::err) return LogLevel::error;
  if (level == spdlog::level::warn) return LogLevel::warning;
  return level == spdlog::level::info ? LogLevel::info : LogLevel::detail;
}

/// The logger with its sinks: the screen, which shows messages above a level, and any number of
/// files and listeners, which get all messages.
struct Outlets {
  std::shared_ptr<spdlog::sinks::stderr_sink_mt> screen =
      std::make_shared<spdlog::sinks::stderr_sink_mt>();
  std::shared_ptr<spdlog::sinks::dist_sink_mt> files =
      std::make_shared<spdlog::sinks::dist_sink_mt>();
  spdlog::logger logger{"mote", {screen, files}};

  Outlets() {
    // On a terminal a line first erases the progress bar, which is then drawn again below it.
    screen->set_pattern(::isatty(STDERR_FILENO) != 0 ? "\r\x1b[K%v" : "%v");
    screen->set_level(spdlog::level::info);
    logger.set_level(spdlog::level::debug);
  }
};

Outlets& outlets() {
  static Outlets made;
  return made;
}

std::string_view prefix(LogLevel level) {
  switch (level) {
    case LogLevel::warning:
      return "mote: warning: ";
    case LogLevel::error:
      return "mote: ";
    default:
      return "";
  }
}

}  // namespace

/// Appends lines to a file. Lines that cannot be written are counted, and the work goes on.
class LogFile::Sink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit Sink(const std::filesystem::path& path)
      : file_(path, [] { return std::string("(earlier lines were removed)\n"); }) {
    set_pattern_("%Y-%m-%d %H:%M:%S  %v");
  }

  std::uint64_t lost() const { return lost_; }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    if (!file_.append({line.data(), line.size()})) ++lost_;
  }
  void flush_() override {}

  GrowingFile file_;
  std::uint64_t lost_ = 0;
};

LogFile::LogFile(std::filesystem::path path)
    : path_(std::move(path)), sink_(std::make_shared<Sink>(path_)) {
  outlets().files->add_sink(sink_);
}

LogFile::~LogFile() {
  outlets().files->remove_sink(sink_);
  if (sink_->lost() > 0) {
    log_warning("{}: {} messages could not be written; check the space on that disk",
                path_.string(), sink_->lost());
  }
}

void LogFile::write(LogLevel level, std::string_view text) {
  const std::string line = fmt::format("{}{}", prefix(level), text);
  sink_->log(spdlog::details::log_msg("mote", spdlog_level(level), line));
}

class LogTap::Sink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit Sink(Listener listener) : listener_(std::move(listener)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    listener_(level_of(message.level), {message.payload.data(), message.payload.size()});
  }
  void flush_() override {}

  Listener listener_;
};

LogTap::LogTap(Listener listener) : sink_(std::make_shared<Sink>(std::move(listener))) {
  outlets().files->add_sink(sink_);
}

LogTap::~LogTap() {
  outlets().files->remove_sink(sink_);
}

void set_log_level(LogLevel level) {
  outlets().screen->set_level(spdlog_level(level));
}

void log_line(LogLevel level, std::string_view text) {
  outlets().logger.log(spdlog_level(level), "{}{}", prefix(level), text);
}

}  // namespace mote
