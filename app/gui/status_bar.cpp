// The status bar at the bottom of the window: the device, the picture, training, the last message.
#include <algorithm>

#include "app/gui/fields.h"
#include "app/gui/icons.h"
#include "app/gui/overlays.h"
#include "app/gui/widgets.h"
#include "app/viewer/workers/seconds.h"

namespace mote::gui {
namespace {

constexpr double kMessage_s = 30;  // a message stays so long in the bar

void gap(const PanelContext& context) {
  ImGui::SameLine(0, 20 * context.theme.unit);
}

std::string count_text(std::uint64_t count, std::string_view elements) {
  const auto number = static_cast<double>(count);
  if (count >= 1000000) return fmt::format("{:.2f} M {}", number / 1e6, elements);
  if (count >= 10000) return fmt::format("{:.0f} k {}", number / 1e3, elements);
  return fmt::format("{} {}", count, elements);
}

/// Number of elements in the picture; empty without any.
std::string drawn_elements(const Session& session) {
  if (session.frame != nullptr && session.frame->training) {
    const Document* document = session.documents.find(session.training.document);
    return count_text(session.training.status.count,
                      document != nullptr ? counted(*document) : "elements");
  }
  if (!session.scene || session.scene->count == 0) return "";
  return count_text(session.scene->count, session.scene->counted);
}

void draw_selected(const PanelContext& context) {
  const Document* document = context.session.documents.active();
  if (document == nullptr || document->edit.selected == 0) return;
  gap(context);
  const std::string text = fmt::format("{} selected", with_commas(document->edit.selected));
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.accent);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  context.places.add(text);
}

void draw_training(const PanelContext& context) {
  const TrainStatus& status = context.session.training.status;
  if (status.phase == TrainPhase::idle) return;
  gap(context);
  const double part = status.steps_total > 0 ? static_cast<double>(status.step) /
                                                   static_cast<double>(status.steps_total)
                                             : status.loaded;
  const ImVec2 place = ImGui::GetCursorScreenPos();
  const float width = 6 * ImGui::GetFontSize(), height = 4 * context.theme.unit;
  const float top = place.y + 0.5f * (ImGui::GetTextLineHeight() - height);
  ImGui::Dummy({width, ImGui::GetTextLineHeight()});
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled({place.x, top}, {place.x + width, top + height},
                      ImGui::GetColorU32(ImGuiCol_FrameBg), height);
  draw->AddRectFilled(
      {place.x, top},
      {place.x + width * static_cast<float>(std::clamp(part, 0.0, 1.0)), top + height},
      ImGui::GetColorU32(context.theme.accent), height);
  ImGui::SameLine();
  ImGui::Text("%s, step %llu of %llu", std::string(phase_name(status.phase)).c_str(),
              static_cast<unsigned long long>(status.step),
              static_cast<unsigned long long>(status.steps_total));
}

void draw_message(const PanelContext& context) {
  std::string text;
  if (context.session.loading) {
    text = "Opening ...";
  } else if (!context.session.notices.list().empty()) {
    const Notice& last = context.session.notices.list().back();
    if (now_s() - last.time_s < kMessage_s) text = last.text.substr(0, last.text.find('\n'));
  }
  if (text.empty()) return;
  gap(context);
  const float left = ImGui::GetCursorPosX();
  const float available = ImGui::GetContentRegionMax().x - left;
  if (available < 4 * ImGui::GetFontSize()) return;
  const float width = std::min(available, ImGui::CalcTextSize(text.c_str()).x);
  ImGui::SetCursorPosX(left + available - width);
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.faint);
  short_text(context, text, width);
  ImGui::PopStyleColor();
}

}  // namespace

void draw_status_bar(const PanelContext& context, float top, float height) {
  const Session& session = context.session;
  const float unit = context.theme.unit;
  ImGui::SetNextWindowPos({0, top});
  ImGui::SetNextWindowSize({ImGui::GetIO().DisplaySize.x, height});
  ImGui::PushFont(context.theme.small);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      {12 * unit, std::max(0.0f, 0.5f * (height - ImGui::GetTextLineHeight()))});
  ImGui::Begin("status", nullptr, kFixedPart);
  ImGui::TextColored(context.theme.faint, "%s", icons::kChip);
  ImGui::SameLine(0, 4 * unit);
  ImGui::TextUnformatted(session.device.description().c_str());
  if (const Document* document = session.documents.active()) {
    gap(context);
    const std::size_t more = session.documents.list().size() - 1;
    const std::string name =
        more > 0 ? fmt::format("{} and {} more", document->name, more) : document->name;
    ImGui::TextUnformatted(name.c_str());
  }
  if (const std::string elements = drawn_elements(session); !elements.empty()) {
    gap(context);
    ImGui::TextUnformatted(elements.c_str());
  }
  draw_selected(context);
  if (session.frame != nullptr && !session.documents.empty()) {
    gap(context);
    ImGui::Text("%d\u00D7%d", session.frame->camera.width, session.frame->camera.height);
  }
  draw_training(context);
  draw_message(context);
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

}  // namespace mote::gui
