#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace mote {

enum class LogLevel { detail, info, warning, error };

/// Shows messages from `level` upwards; `info` until told otherwise.
void set_log_level(LogLevel level);

/// Writes one line to stderr, where data never goes; it passes above a progress bar that stands
/// there. Thread safe.
void log_line(LogLevel level, std::string_view text);

/// Keeps every message in a file as well, details included whatever is shown, as long as it lives:
/// appended, one line each, with the local time before it. The file is made again where it was
/// removed.
class LogFile {
 public:
  /// Throws Error where the file cannot be written.
  explicit LogFile(std::filesystem::path path);
  /// Warns where some of the messages did not fit on the disk.
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  /// Writes one line to the file alone.
  void write(LogLevel level, std::string_view text);

 private:
  class Sink;
  std::filesystem::path path_;
  std::shared_ptr<Sink> sink_;
};

/// Hands every message to a listener as long as it lives, details included whatever is shown.
class LogTap {
 public:
  /// Called by the thread that logs, one call at a time; must not log. `text` is as shown.
  using Listener = std::function<void(LogLevel level, std::string_view text)>;

  explicit LogTap(Listener listener);
  ~LogTap();
  LogTap(const LogTap&) = delete;
  LogTap& operator=(const LogTap&) = delete;

 private:
  class Sink;
  std::shared_ptr<Sink> sink_;
};

/// Shown with --verbose only.
template <class... Args>
void log_detail(fmt::format_string<Args...> text, Args&&... args) {
  log_line(LogLevel::detail, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
void log_info(fmt::format_string<Args...> text, Args&&... args) {
  log_line(LogLevel::info, fmt::format(text, std::forward<Args>(args)...));
}

/// Hidden by --quiet.
template <class... Args>
void log_warning(fmt::format_string<Args...> text, Args&&... args) {
  log_line(LogLevel::warning, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace mote
