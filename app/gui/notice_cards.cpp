#include "app/gui/notice_cards.h"

#include <algorithm>

#include "app/gui/icons.h"
#include "app/gui/overlays.h"
#include "app/gui/widgets.h"
#include "app/viewer/workers/seconds.h"

namespace mote::gui {
namespace {

constexpr double kShown_s = 6;
constexpr int kMostCards = 4;

struct Look {
  const char* icon;
  ImVec4 color;
};

Look look_of(NoticeKind kind, const Theme& theme) {
  switch (kind) {
    case NoticeKind::error:
      return {icons::kError, theme.bad};
    case NoticeKind::warning:
      return {icons::kWarning, theme.warning};
    case NoticeKind::info:
      break;
  }
  return {icons::kInfo, theme.accent};
}

}  // namespace

void NoticeCards::draw(const PanelContext& context, const present::Rectangle& view) {
  const float margin = 12 * context.theme.unit;
  ImVec2 corner{static_cast<float>(view.x + view.width) - margin,
                static_cast<float>(view.y + view.height) - margin};
  const double now = now_s();
  const std::vector<Notice>& list = context.session.notices.list();
  int shown = 0;
  moving_ = false;
  for (auto notice = list.rbegin(); notice != list.rend() && shown < kMostCards; ++notice) {
    const bool passes = notice->kind == NoticeKind::info;
    if (passes && now - notice->time_s > kShown_s) continue;
    if (corner.y < static_cast<float>(view.y) + 5 * ImGui::GetFontSize()) break;
    moving_ |= passes;
    // Beside a narrow view, a card stays off the panel as far as its text can still be read.
    const float most = ImGui::GetIO().DisplaySize.x - 2 * margin;
    const float width =
        std::min(most, std::clamp(static_cast<float>(view.width) - 2 * margin,
                                  18 * ImGui::GetFontSize(), 24 * ImGui::GetFontSize()));
    corner.y = draw_card(context, *notice, corner, width) - 8 * context.theme.unit;
    ++shown;
  }
}

float NoticeCards::draw_card(const PanelContext& context, const Notice& notice, ImVec2 lower_right,
                             float width) {
  ImGui::SetNextWindowPos(lower_right, ImGuiCond_Always, {1, 1});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_PopupBg));
  // Drawn in front of the fixed parts; in a small window their text would show through.
  constexpr ImGuiWindowFlags kInFront = kFixedPart & ~ImGuiWindowFlags_NoBringToFrontOnFocus;
  ImGui::Begin(fmt::format("notice {}", notice.number).c_str(), nullptr,
               kInFront | ImGuiWindowFlags_NoFocusOnAppearing);
  const Look look = look_of(notice.kind, context.theme);
  ImGui::TextColored(look.color, "%s", look.icon);
  ImGui::SameLine();
  const float buttons = 2 * ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.x;
  const float text_end = ImGui::GetContentRegionMax().x - buttons;
  ImGui::PushTextWrapPos(text_end);
  const std::string text =
      notice.times > 1 ? fmt::format("{} ({} times)", notice.text, notice.times) : notice.text;
  ImGui::TextUnformatted(text.c_str());
  context.places.add(text);
  ImGui::PopTextWrapPos();
  ImGui::SetCursorPos({text_end + ImGui::GetStyle().ItemSpacing.x,
                       ImGui::GetStyle().WindowPadding.y - ImGui::GetStyle().FramePadding.y});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  if (icon_button(context, icons::kCopy, {}, "Copy")) {
    ImGui::SetClipboardText(notice.text.c_str());
  }
  ImGui::SameLine();
  icon_button(context, icons::kClose, {"notices dismiss", notice.number}, "Dismiss");
  ImGui::PopStyleVar();
  const float top = ImGui::GetWindowPos().y;
  ImGui::End();
  ImGui::PopStyleColor();
  return top;
}

}  // namespace mote::gui
