#include "app/gui/thumbnail_request.h"

#include <algorithm>
#include <utility>

namespace mote::gui {

void request_thumbnails(const PanelContext& context, const CameraSet& set,
                        std::span<const std::uint32_t> seen) {
  const ThumbnailRequest& request = context.session.thumbnails;
  ActionCall call("thumbnails of", set.name);
  bool any_new = false;
  for (const std::uint32_t i : seen) {
    const ViewMark& view = set.views[i];
    if (view.thumbnail_requested || view.image.empty()) continue;
    call.add(i + 1);
    any_new |=
        request.set != set.id || std::ranges::find(request.indices, i) == request.indices.end();
  }
  if (any_new) context.actions.add(std::move(call));
}

}  // namespace mote::gui
