#include "app/gui/camera_widgets.h"

#include <algorithm>
#include <utility>

#include "app/gui/widgets.h"
#include "app/viewer/view/frustum_marks.h"

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

void camera_set_choice(const PanelContext& context, float width) {
  const std::vector<CameraSet>& sets = context.session.cameras;
  if (sets.size() < 2) return;
  const CameraSet* shown = shown_cameras(context.session);
  ImGui::SetNextItemWidth(width);
  const bool open = ImGui::BeginCombo("##cameras", shown->name.c_str());
  context.places.add("Cameras");
  if (!open) {
    tooltip(
        context,
        R"(The dataset of the photographs. A click on a camera in the view also chooses its dataset.)");
    return;
  }
  for (std::size_t i = 0; i < sets.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(sets[i].name.c_str(), &sets[i] == shown)) {
      context.actions.add("cameras", sets[i].name);
    }
    context.places.add(sets[i].name);
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

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
