#include "app/gui/progress_bar.h"

#include <imgui.h>

#include <algorithm>

#include "core/progress.h"

namespace mote::gui {

void progress_bar(const PanelContext& context, double fraction, const std::string& words) {
  constexpr float kHeight_px = 6;
  const float unit = context.theme.unit;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = kHeight_px * unit;
  ImGui::Dummy({width, height});
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const auto part = static_cast<float>(std::clamp(fraction, 0.0, 1.0));
  draw->AddRectFilled(low, {low.x + width, low.y + height}, ImGui::GetColorU32(ImGuiCol_FrameBg),
                      height / 2);
  if (part > 0) {
    draw->AddRectFilled(low, {low.x + std::max(height, part * width), low.y + height},
                        ImGui::GetColorU32(context.theme.accent), height / 2);
  }
  if (!words.empty()) ImGui::TextUnformatted(words.c_str());
}

std::string time_left(double done, double total, double seconds) {
  constexpr double kLeast_s = 1;
  if (!(done > 0 && total > done && seconds > kLeast_s)) return "";
  return short_duration(seconds * (total - done) / done) + " left";
}

}  // namespace mote::gui
