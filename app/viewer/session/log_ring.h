#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "core/log.h"

namespace mote {

struct LogLine {
  LogLevel level = LogLevel::info;
  std::string text;
};

/// The newest lines of the program's log, for a panel. Thread safe.
class LogRing {
 public:
  static constexpr std::size_t kMost = 2000;

  LogRing();

  /// Number of lines since the start. If it has not changed, there are no new lines.
  std::uint64_t count() const;
  /// The kept lines, oldest first.
  std::vector<LogLine> lines() const;

 private:
  void add(LogLevel level, std::string_view text);

  mutable std::mutex mutex_;
  std::deque<LogLine> lines_;
  std::uint64_t count_ = 0;
  LogTap tap_;  // last member: it calls add()
};

}  // namespace mote
