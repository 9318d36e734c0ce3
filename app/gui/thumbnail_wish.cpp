#include "app/gui/thumbnail_wish.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/viewer/session/action.h"

namespace mote::gui {

void wish_thumbnails(const PanelContext& context, const CameraSet& set,
                     std::span<const std::uint32_t> seen) {
  const ThumbnailWish& asked = context.session.thumbnails;
  std::string line = "thumbnails of " + as_word(set.name);
  bool any_new = false;
  for (const std::uint32_t i : seen) {
    const ViewMark& view = set.views[i];
    if (view.thumbnail_asked || view.image.empty()) continue;
    line += fmt::format(" {}", i + 1);
    any_new |= asked.set != set.id || std::ranges::find(asked.indices, i) == asked.indices.end();
  }
  if (any_new) context.actions.add(std::move(line));
}

}  // namespace mote::gui
