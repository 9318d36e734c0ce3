#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/fields.h"
#include "app/gui/overlays.h"
#include "app/gui/view_marks.h"
#include "app/gui/widgets.h"
#include "app/viewer/view/legend_scale.h"
#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/pixel_values.h"

namespace mote::gui {
namespace {

constexpr int kColorSteps = 48;
constexpr std::size_t kMostTicks = 6;

/// Draws the colour bar, high values at the top.
void draw_bar(const Legend& legend, ImVec2 low, ImVec2 high) {
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  const auto color = [&](int i) {
    const glm::vec3 rgb = legend.color(static_cast<float>(i) / kColorSteps);
    return ImGui::ColorConvertFloat4ToU32({rgb.x, rgb.y, rgb.z, 1});
  };
  const float step = (high.y - low.y) / kColorSteps;
  for (int i = 0; i < kColorSteps; ++i) {
    const float bottom = high.y - step * static_cast<float>(i);
    draw->AddRectFilledMultiColor({low.x, bottom - step}, {high.x, bottom}, color(i + 1),
                                  color(i + 1), color(i), color(i));
  }
  draw->AddRect(low, high, ImGui::GetColorU32(ImGuiCol_Border));
}

}  // namespace

void draw_legend_in_view(const PanelContext& context, const present::Rectangle& view) {
  const Session& session = context.session;
  const RenderMode& mode = *session.view.mode;
  const FinishedFrame* frame = session.frame;
  if (!session.settings().legend || !mode.legend || frame == nullptr || !frame->range) return;
  const float unit = context.theme.unit, pad = 8 * unit, bar = 14 * unit;
  const std::vector<LegendTick> ticks = legend_ticks(*mode.legend, *frame->range, kMostTicks);
  const std::string title =
      capital(mode.legend->title) + " (" + std::string(mode.legend->unit) + ")";
  float widest = 0;
  for (const LegendTick& tick : ticks) {
    widest = std::max(widest, ImGui::CalcTextSize(tick.text.c_str()).x);
  }
  const float text = ImGui::GetTextLineHeight();
  const ImVec2 title_size = ImGui::CalcTextSize(title.c_str());
  const float height = std::min(220 * unit, 0.45f * static_cast<float>(view.height));
  const float width = std::max(title_size.x, bar + pad + widest);
  const ImVec2 high{
      static_cast<float>(view.x + view.width) - 12 * unit,
      static_cast<float>(view.y) + 0.5f * (static_cast<float>(view.height) + height) + 0.5f * text};
  const ImVec2 low{high.x - width - 2 * pad, high.y - height - text - 4 * pad};
  if (low.y < static_cast<float>(view.y) || low.x < static_cast<float>(view.x)) return;
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  draw->AddRectFilled(low, high, ImGui::GetColorU32(ImGuiCol_PopupBg, 0.88f), 4 * unit);
  const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
  draw->AddText({low.x + pad, low.y + pad}, ink, title.c_str());
  const ImVec2 bar_low{low.x + pad, low.y + 2 * pad + text},
      bar_high{low.x + pad + bar, high.y - 1.5f * pad};
  draw_bar(*mode.legend, bar_low, bar_high);
  for (const LegendTick& tick : ticks) {
    const float y = bar_high.y - (bar_high.y - bar_low.y) * static_cast<float>(tick.place);
    draw->AddLine({bar_high.x, y}, {bar_high.x + 0.5f * pad, y}, ink, unit);
    draw->AddText({bar_high.x + pad, y - 0.5f * text}, ink, tick.text.c_str());
  }
  context.places.add("legend", low, high);
}

void draw_pixel_values(const PanelContext& context, const ViewTools& tools,
                       const present::Rectangle& view) {
  const Session& session = context.session;
  if (!session.settings().pixel_values || !tools.hover_px() || session.documents.empty()) return;
  const auto values = pixel_values(session, *tools.hover_px());
  if (!values) return;
  std::string text;
  for (const std::string& line : lines_of(*values, session.settings().display.error_metric)) {
    text += (text.empty() ? "" : "\n") + line;
  }
  ImGui::PushFont(context.theme.mono);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const float unit = context.theme.unit;
  // Beside the axis cross.
  const ImVec2 low{static_cast<float>(view.x) + 108 * unit,
                   static_cast<float>(view.y + view.height) - size.y - 18 * unit};
  draw_label(context, low, text);
  context.places.add("Pixel values", low, {low.x + size.x, low.y + size.y});
  ImGui::PopFont();
}

}  // namespace mote::gui
