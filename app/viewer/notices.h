#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mote {

enum class NoticeKind { info, warning, error };

/// Something that the user should read, and may copy.
struct Notice {
  std::uint64_t number = 0;  // grows with every notice
  NoticeKind kind = NoticeKind::info;
  std::string text;  // whole: what, where and what to do
  double time_s = 0;
  int times = 1;  // the same thing said again counts here
};

/// The newest notices, oldest first. One thread's.
class Notices {
 public:
  static constexpr std::size_t kMost = 200;

  /// Also writes the text to the log.
  void add(NoticeKind kind, std::string text);
  void dismiss(std::uint64_t number);
  void clear() { notices_.clear(); }
  /// Errors that there have been, those included that were taken away.
  std::uint64_t errors() const { return errors_; }
  const std::vector<Notice>& list() const { return notices_; }

 private:
  std::vector<Notice> notices_;
  std::uint64_t last_ = 0, errors_ = 0;
};

}  // namespace mote
