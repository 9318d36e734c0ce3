#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mote {

enum class NoticeKind { info, warning, error };

/// A message to the user, whose text can be copied.
struct Notice {
  std::uint64_t number = 0;  // increases with every notice
  NoticeKind kind = NoticeKind::info;
  std::string text;  // complete message: what, where and what to do
  double time_s = 0;
  int times = 1;  // number of repetitions of the same message
};

/// The newest notices, oldest first. Not thread-safe.
class Notices {
 public:
  static constexpr std::size_t kMost = 200;

  /// Adds a notice and logs its text.
  void add(NoticeKind kind, std::string text);
  /// Adds a notice whose text is in the log already.
  void add_logged(NoticeKind kind, std::string text);
  void dismiss(std::uint64_t number);
  void clear() { notices_.clear(); }
  /// Number of errors so far, dismissed ones included.
  std::uint64_t errors() const { return errors_; }
  const std::vector<Notice>& list() const { return notices_; }

 private:
  bool is_last(NoticeKind kind, const std::string& text) const {
    return !notices_.empty() && notices_.back().kind == kind && notices_.back().text == text;
  }

  std::vector<Notice> notices_;
  std::uint64_t last_ = 0, errors_ = 0;
};

}  // namespace mote
