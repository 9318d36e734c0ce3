#include "app/gui/choice_button.h"

#include <imgui.h>

#include <cmath>

namespace mote::gui {

bool choice_button(const PanelContext& context, const char* label, bool chosen, float width) {
  ImGui::PushStyleColor(ImGuiCol_Button,
                        ImGui::GetStyleColorVec4(chosen ? ImGuiCol_Header : ImGuiCol_Button));
  ImGui::PushStyleColor(ImGuiCol_Text,
                        chosen ? context.theme.accent : ImGui::GetStyleColorVec4(ImGuiCol_Text));
  const bool clicked = ImGui::Button(label, {width, 0});
  context.places.add(label);
  ImGui::PopStyleColor(2);
  return clicked;
}

float choice_width(const PanelContext& context, std::size_t count) {
  const auto number = static_cast<float>(count);
  return (ImGui::GetContentRegionAvail().x - (number - 1) * choice_gap(context)) / number;
}

float choice_gap(const PanelContext& context) {
  return 2 * context.theme.unit;
}

}  // namespace mote::gui
