#include "core/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

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

spdlog::logger& logger() {
  static const auto kLogger = [] {
    auto made =
        std::make_shared<spdlog::logger>("mote", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    // On a terminal a line first erases the progress bar, which draws itself again below it.
    made->set_pattern(::isatty(STDERR_FILENO) != 0 ? "\r\x1b[K%v" : "%v");
    return made;
  }();
  return *kLogger;
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

void set_log_level(LogLevel level) {
  logger().set_level(spdlog_level(level));
}

void log_line(LogLevel level, std::string_view text) {
  logger().log(spdlog_level(level), "{}{}", prefix(level), text);
}

}  // namespace mote
