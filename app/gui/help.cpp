// The list of keys and mouse actions, from the table of actions.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/icons.h"
#include "app/gui/overlays.h"
#include "app/gui/widgets.h"
#include "app/viewer/session/action.h"

namespace mote::gui {
namespace {

// clang-format off
constexpr std::pair<const char*, const char*> kMouse[] = {
    {"Left drag", "orbit, or use the tool"},
    {"Alt + left drag", "orbit with any tool"},
    {"Right drag", "look around"},
    {"Middle drag", "move sideways; also Shift + left"},
    {"Wheel", "zoom towards the pointer"},
    {"Double click", "orbit the point under the pointer"},
    {"W A S D", "fly; E up, Q down"},
    {"Shift, Alt", "fly faster, slower"},
};
// clang-format on

void row(const PanelContext& context, const std::string& key, const std::string& help) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.accent);
  ImGui::TextWrapped("%s", key.c_str());
  ImGui::PopStyleColor();
  ImGui::TableNextColumn();
  ImGui::TextWrapped("%s", help.c_str());
}

void heading(const PanelContext& context, std::string_view text) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::Dummy({0, 4 * context.theme.unit});
  ImGui::PushFont(context.theme.heading);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopFont();
}

bool begin_table(const char* name) {
  if (!ImGui::BeginTable(name, 2)) return false;
  ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, 7 * ImGui::GetFontSize());
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
  return true;
}

void mouse_table(const PanelContext& context) {
  if (!begin_table("mouse")) return;
  heading(context, "Mouse and flight");
  for (const auto& [what, help] : kMouse) row(context, what, help);
  ImGui::EndTable();
}

/// Draws the groups of actions with indices in [from, to).
void key_table(const PanelContext& context, const char* name, std::size_t from, std::size_t to) {
  if (!begin_table(name)) return;
  std::string_view group;
  for (std::size_t i = from; i < to; ++i) {
    const Action& action = actions()[i];
    if (action.key.empty()) continue;
    if (action.group != group) heading(context, action.group);
    group = action.group;
    std::string keys(action.key);
    if (!action.second_key.empty()) keys += fmt::format(", {}", action.second_key);
    row(context, keys, std::string(action.help));
  }
  ImGui::EndTable();
}

/// The start of the second column: the group at which both columns have the same length.
std::size_t middle_of_actions() {
  constexpr int kHeading = 2;  // rows
  const std::vector<Action>& all = actions();
  int above = kHeading + static_cast<int>(std::size(kMouse));  // the mouse comes first
  std::vector<std::pair<std::size_t, int>> groups;             // start, number of rows above
  std::string_view group;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].key.empty()) continue;
    if (all[i].group != group) {
      groups.emplace_back(i, above);
      above += kHeading;
    }
    group = all[i].group;
    ++above;
  }
  const auto uneven = [&](const std::pair<std::size_t, int>& one) {
    return std::abs(above - 2 * one.second);
  };
  const auto best =
      std::min_element(groups.begin(), groups.end(),
                       [&](const auto& a, const auto& b) { return uneven(a) < uneven(b); });
  return best == groups.end() ? all.size() : best->first;
}

}  // namespace

void draw_help(const PanelContext& context) {
  if (!context.session.window.help) return;
  const float em = ImGui::GetFontSize();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0.5f * display.x, 0.5f * display.y}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(52 * em, 0.95f * display.x), 0});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x, 0.95f * display.y});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_PopupBg));
  bool open = true;
  ImGui::Begin("Keys and mouse", &open,
               ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                   ImGuiWindowFlags_NoSavedSettings);
  const std::size_t middle = middle_of_actions();
  if (ImGui::BeginTable("columns", 2)) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    mouse_table(context);
    key_table(context, "first", 0, middle);
    ImGui::TableNextColumn();
    key_table(context, "second", middle, actions().size());
    ImGui::EndTable();
  }
  ImGui::End();
  ImGui::PopStyleColor();
  if (!open) context.actions.add("help");
}

void draw_farewell(const PanelContext& context) {
  const Session& session = context.session;
  if (!session.quitting) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::GetForegroundDrawList()->AddRectFilled({0, 0}, display,
                                                ImGui::GetColorU32(ImGuiCol_ModalWindowDimBg));
  ImDrawList* draw = ImGui::GetForegroundDrawList();
  const TrainStatus& status = session.training.status;
  const std::string title =
      status.phase != TrainPhase::idle ? "Saving the run ..." : "Writing files ...";
  const std::string detail = status.phase != TrainPhase::idle
                                 ? fmt::format("{}, step {}", status.out.string(), status.step)
                                 : "Close again to leave at once";
  const ImVec2 title_size = context.theme.heading->CalcTextSizeA(context.theme.heading->FontSize,
                                                                 display.x, 0, title.c_str());
  const ImVec2 detail_size = ImGui::CalcTextSize(detail.c_str());
  const float pad = 24 * context.theme.unit, gap = 8 * context.theme.unit;
  const ImVec2 half{0.5f * std::max(title_size.x, detail_size.x) + pad,
                    0.5f * (title_size.y + gap + detail_size.y) + pad};
  const ImVec2 centre{0.5f * display.x, 0.5f * display.y};
  draw->AddRectFilled({centre.x - half.x, centre.y - half.y},
                      {centre.x + half.x, centre.y + half.y}, ImGui::GetColorU32(ImGuiCol_PopupBg),
                      6 * context.theme.unit);
  draw->AddText(context.theme.heading, context.theme.heading->FontSize,
                {centre.x - 0.5f * title_size.x, centre.y - half.y + pad},
                ImGui::GetColorU32(ImGuiCol_Text), title.c_str());
  draw->AddText({centre.x - 0.5f * detail_size.x, centre.y - half.y + pad + title_size.y + gap},
                ImGui::GetColorU32(context.theme.faint), detail.c_str());
}

}  // namespace mote::gui
