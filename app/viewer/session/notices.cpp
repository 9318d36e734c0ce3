#include "app/viewer/session/notices.h"

#include <utility>

#include "app/viewer/workers/seconds.h"
#include "core/log.h"

namespace mote {

void Notices::add(NoticeKind kind, std::string text) {
  const bool repeated = is_last(kind, text);
  if (!repeated) {
    log_line(kind == NoticeKind::error     ? LogLevel::error
             : kind == NoticeKind::warning ? LogLevel::warning
                                           : LogLevel::info,
             text);
  }
  add_logged(kind, std::move(text));
}

void Notices::add_logged(NoticeKind kind, std::string text) {
  if (kind == NoticeKind::error) ++errors_;
  if (is_last(kind, text)) {
    ++notices_.back().times;
    notices_.back().time_s = now_s();
    return;
  }
  if (notices_.size() == kMost) notices_.erase(notices_.begin());
  notices_.push_back({.number = ++last_, .kind = kind, .text = std::move(text), .time_s = now_s()});
}

void Notices::dismiss(std::uint64_t number) {
  std::erase_if(notices_, [number](const Notice& notice) { return notice.number == number; });
}

}  // namespace mote
