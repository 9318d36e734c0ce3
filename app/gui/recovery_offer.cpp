// The question whether to open the project that a crashed program left.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/gui/overlays.h"
#include "app/gui/widgets.h"

namespace mote::gui {
namespace {

constexpr const char* kTitle = "Recovered project";

void draw_words(const PanelContext& context, const RecoveredProject& found) {
  const std::string text = fmt::format(
      "Mote ended without saving. The changes of {} were kept, with these scenes:", found.time);
  ImGui::TextWrapped("%s", text.c_str());
  constexpr std::size_t kMost = 8;
  for (std::size_t i = 0; i < std::min(kMost, found.scenes.size()); ++i) {
    ImGui::Bullet();
    short_text(context, found.scenes[i], ImGui::GetContentRegionAvail().x);
  }
  if (found.scenes.size() > kMost) {
    note(context, fmt::format("and {} more", found.scenes.size() - kMost));
  }
  ImGui::Dummy({0, 6 * context.theme.unit});
}

}  // namespace

void draw_recovery_offer(const PanelContext& context) {
  const ProjectState& state = context.session.project;
  const bool offered = state.offered && state.found;
  if (offered && !ImGui::IsPopupOpen(kTitle)) ImGui::OpenPopup(kTitle);
  if (!ImGui::IsPopupOpen(kTitle)) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0.5f * display.x, 0.5f * display.y}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(32 * ImGui::GetFontSize(), 0.9f * display.x), 0});
  if (!ImGui::BeginPopupModal(
          kTitle, nullptr,
          ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings)) {
    return;
  }
  if (!offered) {
    ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return;
  }
  draw_words(context, *state.found);
  action_button(context, "Open it", "project recover");
  ImGui::SameLine();
  action_button(context, "Discard it", "project discard");
  ImGui::SameLine();
  action_button(context, "Not now", "project leave");
  ImGui::EndPopup();
}

}  // namespace mote::gui
