#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace mote {

enum class LogLevel { detail, info, warning, error };

/// Shows messages of `level` and above. The default is `info`.
void set_log_level(LogLevel level);

/// Writes one line to stderr, above a progress bar if one is shown. Data never goes to stderr.
/// Thread safe.
void log_line(LogLevel level, std::string_view text);

/// Also writes every message to a file for the lifetime of this object, details included regardless
/// of the level shown. Each line is appended after the local time. A file that was removed is made
/// again.
class LogFile {
 public:
  /// Throws Error where the file cannot be written.
  explicit LogFile(std::filesystem::path path);
  /// Warns if some of the messages could not be written to the disk.
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  /// Writes one line to the file only.
  void write(LogLevel level, std::string_view text);

 private:
  class Sink;
  std::filesystem::path path_;
  std::shared_ptr<Sink> sink_;
};

/// Passes every message to a listener for the lifetime of this object, details included regardless
/// of the level shown.
class LogTap {
 public:
  /// Called by the thread that logs, one call at a time; it must not log. `text` is the text as
  /// shown.
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
