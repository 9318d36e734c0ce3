#include "app/gui/camera_set_choice.h"

#include "app/gui/widgets.h"
#include "app/viewer/view/frustum_marks.h"

namespace mote::gui {

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

}  // namespace mote::gui
