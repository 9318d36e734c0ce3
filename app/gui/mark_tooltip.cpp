#include "app/gui/mark_tooltip.h"

#include <algorithm>

#include "app/gui/widgets.h"

namespace mote::gui {
namespace {

/// Requests the thumbnail before those that are already waiting.
void ask_for_thumbnail(const PanelContext& context, const CameraSet& set, const MarkId& mark) {
  const ThumbnailRequest& request = context.session.thumbnails;
  ActionCall call("thumbnails", mark.index + 1);
  if (request.set == mark.set) {
    if (std::ranges::find(request.indices, mark.index) != request.indices.end()) return;
    for (const std::uint32_t index : request.indices) {
      if (!set.views[index].thumbnail_requested) call.add(index + 1);
    }
  }
  context.actions.add(std::move(call));
}

}  // namespace

void draw_mark_tooltip(const PanelContext& context, const ViewTools& tools) {
  constexpr float kSide_px = 168;
  const auto& mark = tools.hovered_mark();
  if (!mark || tools.dragging()) return;
  const CameraSet* set = context.session.find_cameras(mark->set);
  if (set == nullptr || mark->index >= set->views.size()) return;
  const ViewMark& view = set->views[mark->index];
  const float side = kSide_px * context.theme.unit;
  ImGui::BeginTooltip();
  // Thumbnails are made for the shown set only.
  if (!view.image.empty() && (view.thumbnail_requested || set == shown_cameras(context.session))) {
    const auto width = static_cast<float>(view.camera.width),
               height = static_cast<float>(view.camera.height);
    const float scale = side / std::max(width, height);
    context.pictures.show(view.thumbnail, {scale * width, scale * height});
    if (!view.thumbnail_requested) ask_for_thumbnail(context, *set, *mark);
  }
  short_text(context, view.name, side);
  context.places.add(view.name);
  if (context.session.cameras.size() > 1) {
    ImGui::PushFont(context.theme.small);
    note(context, "Of " + set->name);
    ImGui::PopFont();
  }
  if (view.test) {
    ImGui::PushFont(context.theme.small);
    note(context, "A test view");
    ImGui::PopFont();
  }
  ImGui::EndTooltip();
}

}  // namespace mote::gui
