#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
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

  LogRing() : tap_([this](LogLevel level, std::string_view text) { add(level, text); }) {}

  /// Number of lines since the start. If it has not changed, there are no new lines.
  std::uint64_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  /// The kept lines, oldest first.
  std::vector<LogLine> lines() const {
    const std::lock_guard lock(mutex_);
    return {lines_.begin(), lines_.end()};
  }

 private:
  void add(LogLevel level, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (lines_.size() == kMost) lines_.pop_front();
    lines_.push_back({level, std::string(text)});
    ++count_;
  }

  mutable std::mutex mutex_;
  std::deque<LogLine> lines_;
  std::uint64_t count_ = 0;
  LogTap tap_;  // last member: it calls add()
};

}  // namespace mote
