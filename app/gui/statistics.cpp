#include "app/gui/statistics.h"

#include <algorithm>
#include <cmath>

#include "app/gui/fields.h"
#include "app/gui/overlays.h"
#include "app/gui/widgets.h"

namespace mote::gui {
namespace {

/// Draws "name   value" in fixed columns, so that changing numbers do not move the text.
void row(const PanelContext& context, const char* name, const std::string& value) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float start = ImGui::GetCursorPosX();
  ImGui::TextColored(context.theme.faint, "%s", name);
  ImGui::SameLine(start + width - ImGui::CalcTextSize(value.c_str()).x);
  ImGui::TextUnformatted(value.c_str());
}

}  // namespace

void Statistics::record(const FinishedFrame& frame) {
  constexpr double kPause_s = 0.5, kWeight = 0.15;
  if (frame.number == last_frame_) return;
  last_frame_ = frame.number;
  times_ms_[next_] = static_cast<float>(frame.stats.total_ms);
  next_ = (next_ + 1) % kKept;
  const double interval_s = frame.finished_s - last_finished_s_;
  last_finished_s_ = frame.finished_s;
  // No frames come while nothing changes; this gap is not a frame interval.
  if (interval_s > kPause_s) {
    interval_s_ = 0;
  } else {
    interval_s_ += (interval_s_ == 0 ? 1 : kWeight) * (interval_s - interval_s_);
  }
}

void Statistics::draw_graph(const PanelContext& context) const {
  const float unit = context.theme.unit;
  const ImVec2 size{ImGui::GetContentRegionAvail().x, 32 * unit};
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const auto target_ms = static_cast<float>(1e3 / context.session.settings().target_fps);
  const float most = std::max(2 * target_ms, *std::max_element(times_ms_.begin(), times_ms_.end()));
  const float step = size.x / kKept;
  for (std::size_t i = 0; i < kKept; ++i) {
    const float time_ms = times_ms_[(next_ + i) % kKept];
    if (time_ms <= 0) continue;
    const float height = std::max(1.0f, size.y * time_ms / most);
    const float left = corner.x + step * static_cast<float>(i);
    const ImVec4& color = time_ms > target_ms ? context.theme.warning : context.theme.accent;
    draw->AddRectFilled({left, corner.y + size.y - height},
                        {left + std::max(1.0f, step - unit), corner.y + size.y},
                        ImGui::GetColorU32(color));
  }
  const float line = corner.y + size.y * (1 - target_ms / most);
  draw->AddLine({corner.x, line}, {corner.x + size.x, line},
                ImGui::GetColorU32(ImGuiCol_TextDisabled, 0.6f));
}

void Statistics::draw(const PanelContext& context, const present::Rectangle& view,
                      const WindowCosts& last) {
  const FinishedFrame* frame = context.session.frame;
  if (frame == nullptr) return;
  record(*frame);
  if (!context.session.settings().statistics || context.session.documents.empty()) return;
  const float unit = context.theme.unit, margin = 12 * unit;
  // In a narrow view it is below the tool bar, which would cover it.
  constexpr float kNarrow_em = 41;
  const bool narrow = static_cast<float>(view.width) < kNarrow_em * ImGui::GetFontSize();
  const float bar = narrow ? ImGui::GetFrameHeight() + 12 * unit + margin : 0;
  ImGui::SetNextWindowPos(
      {static_cast<float>(view.x + view.width) - margin, static_cast<float>(view.y) + margin + bar},
      ImGuiCond_Always, {1, 0});
  ImGui::SetNextWindowSize({std::round(13 * ImGui::GetFontSize()), 0});
  ImGui::SetNextWindowBgAlpha(context.theme.dark ? 0.88f : 0.94f);
  ImGui::PushFont(context.theme.small);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {8 * unit, 3 * unit});
  ImGui::Begin("statistics", nullptr,
               kFixedPart | ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoInputs);
  const FrameStats& stats = frame->stats;
  ImGui::PushFont(context.theme.heading);
  ImGui::Text("%.1f ms", stats.total_ms);
  if (interval_s_ > 0) {
    const std::string rate = fmt::format("{:.0f} FPS", 1 / interval_s_);
    ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(rate.c_str()).x);
    ImGui::TextUnformatted(rate.c_str());
  }
  ImGui::PopFont();
  draw_graph(context);
  row(context, "Picture", fmt::format("{}\u00D7{}", frame->camera.width, frame->camera.height));
  const auto time_row = [&](const char* name, double ms) {
    row(context, name, fmt::format("{:.1f} ms", ms));
  };
  const bool any_field = stats.network_ms > 0;
  if (!any_field || stats.visible > 0) {
    row(context, "Visible splats", with_commas(stats.visible));
    time_row("Project", stats.project_ms);
    time_row("Sort", stats.bin_ms + stats.sort_ms);
    time_row("Blend", stats.blend_ms);
  }
  if (any_field) {
    row(context, "Samples", with_commas(stats.evaluations));
    time_row("March", stats.march_ms);
    time_row("Encode", stats.encode_ms);
    time_row("Networks", stats.network_ms);
    time_row("Compose", stats.compose_ms);
  }
  row(context, "Window", fmt::format("{:.1f} ms", last.layout_ms + last.upload_ms + last.draw_ms));
  row(context, "Longest UI stall",
      fmt::format("{:.0f} ms", context.session.window.costs.longest_turn_ms));
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

}  // namespace mote::gui
