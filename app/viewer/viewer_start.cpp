#include "app/viewer/viewer_start.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/log.h"

namespace mote {

std::unique_ptr<Viewer> start_viewer(const std::function<ViewerSetup()>& prepare) {
  std::vector<std::pair<NoticeKind, std::string>> messages;
  std::optional<LogTap> tap(std::in_place, [&](LogLevel level, std::string_view text) {
    if (level == LogLevel::detail || level == LogLevel::error) return;
    constexpr std::string_view kShown = "mote: warning: ";  // a notice shows its kind by an icon
    if (text.starts_with(kShown)) text.remove_prefix(kShown.size());
    messages.emplace_back(level == LogLevel::warning ? NoticeKind::warning : NoticeKind::info,
                          text);
  });
  ViewerSetup setup = prepare();
  tap.reset();
  auto viewer = std::make_unique<Viewer>(std::move(setup));
  for (auto& [kind, text] : messages) viewer->tell_logged(kind, std::move(text));
  return viewer;
}

}  // namespace mote
