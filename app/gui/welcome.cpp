// The welcome text of an empty view.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "app/gui/icons.h"
#include "app/gui/overlays.h"
#include "app/gui/widgets.h"
#include "core/spelling.h"
#include "io/splats/format_lists.h"

namespace mote::gui {
namespace {

void centred(const char* text, float width) {
  ImGui::SetCursorPosX(std::max(0.0f, 0.5f * (width - ImGui::CalcTextSize(text).x)));
  ImGui::TextUnformatted(text);
}

/// The path that is being opened, while the view is empty.
void draw_opening(const PanelContext& context, float width) {
  const LoadStatus status = context.session.loader.status();
  const std::string name = status.waiting.empty()
                               ? std::string()
                               : std::filesystem::path(status.waiting.front()).filename().string();
  const std::string text = fmt::format("Opening {}", name);
  ImGui::PushFont(context.theme.heading);
  centred(text.c_str(), width);
  context.places.add(text);
  ImGui::PopFont();
  progress_bar(context, status.fraction, fmt::format("{:.0f} %", 100 * status.fraction));
  ImGui::Spacing();
  const float button = 7 * ImGui::GetFontSize();
  ImGui::SetCursorPosX(0.5f * (width - button));
  ImGui::BeginChild("stop", {button, ImGui::GetFrameHeight()}, false, kInnerPart);
  wide_action_button(context, "Stop", "cancel");
  ImGui::EndChild();
}

void recent_files(const PanelContext& context, float width) {
  constexpr std::size_t kMost = 5;
  const auto& recent = context.session.file.recent();
  if (recent.empty()) return;
  ImGui::Dummy({0, 8 * context.theme.unit});
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.faint);
  centred("Recent", width);
  ImGui::PopStyleColor();
  for (std::size_t i = 0; i < std::min(kMost, recent.size()); ++i) {
    const std::string name = recent[i].filename().string();
    ImGui::SetCursorPosX(std::max(0.0f, 0.5f * (width - ImGui::CalcTextSize(name.c_str()).x)));
    ImGui::PushID(static_cast<int>(i));
    const ImVec2 size = ImGui::CalcTextSize(name.c_str());
    if (ImGui::Selectable(name.c_str(), false, 0, size)) {
      context.actions.add("open", recent[i].string());
    }
    ImGui::PopID();
    tooltip(context, recent[i].string());
  }
}

}  // namespace

void draw_welcome(const PanelContext& context, const present::Rectangle& view) {
  const Session& session = context.session;
  if (!session.documents.empty() || !session.cameras.empty()) return;
  const float em = ImGui::GetFontSize(), width = 26 * em;
  ImGui::SetNextWindowPos({static_cast<float>(view.x) + 0.5f * static_cast<float>(view.width),
                           static_cast<float>(view.y) + 0.5f * static_cast<float>(view.height)},
                          ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::Begin("welcome", nullptr, kFixedPart | ImGuiWindowFlags_NoBackground);
  if (session.loading) {
    draw_opening(context, width);
    ImGui::End();
    return;
  }
  ImGui::PushFont(context.theme.heading);
  centred("Drop a scene or a folder of photographs here", width);
  ImGui::PopFont();
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.faint);
  const std::string formats = listed(shortest_extensions(FormatUse::read));
  centred(fmt::format("A {},", formats).c_str(), width);
  centred("a folder of them as frames, a training run,", width);
  centred("a dataset of COLMAP or NeRF,", width);
  centred("a mesh, a picture or a volume to train on", width);
  ImGui::PopStyleColor();
  ImGui::Dummy({0, 8 * context.theme.unit});
  const std::string label = icon_label(icons::kFolderOpen, "Open ...");
  const float button = ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetCursorPosX(0.5f * (width - button));
  action_button(context, label, "open");
  const std::string import = icon_label(icons::kDownload, "Import photographs ...");
  const float width_of_import =
      ImGui::CalcTextSize(import.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetCursorPosX(0.5f * (width - width_of_import));
  action_button(context, import, "import photographs");
  recent_files(context, width);
  ImGui::End();
}

}  // namespace mote::gui
