#include "app/viewer/session/log_ring.h"

namespace mote {

LogRing::LogRing() : tap_([this](LogLevel level, std::string_view text) { add(level, text); }) {}

std::uint64_t LogRing::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

std::vector<LogLine> LogRing::lines() const {
  const std::lock_guard lock(mutex_);
  return {lines_.begin(), lines_.end()};
}

void LogRing::add(LogLevel level, std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (lines_.size() == kMost) lines_.pop_front();
  lines_.push_back({level, std::string(text)});
  ++count_;
}

}  // namespace mote
