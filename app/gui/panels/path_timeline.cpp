#include "app/gui/panels/path_timeline.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "core/axis.h"

namespace mote::gui {
namespace {

constexpr float kHeight_px = 46, kKey_px = 5.5f;

/// Maps times to positions on the screen.
struct Ruler {
  ImVec2 low, high;  // corners of the track, px
  double start_s = 0, end_s = 1;

  float x(double time_s) const {
    return low.x + static_cast<float>((time_s - start_s) / (end_s - start_s)) * (high.x - low.x);
  }
  double time_s(float x) const {
    const double share = std::clamp((x - low.x) / (high.x - low.x), 0.0f, 1.0f);
    return start_s + share * (end_s - start_s);
  }
};

void draw_ruler(const PanelContext& context, const Ruler& ruler) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float unit = context.theme.unit;
  draw->AddRectFilled({ruler.low.x - 8 * unit, ruler.low.y},
                      {ruler.high.x + 8 * unit, ruler.high.y}, ImGui::GetColorU32(ImGuiCol_FrameBg),
                      ImGui::GetStyle().FrameRounding);
  ImGui::PushFont(context.theme.small);
  const ImU32 ink = ImGui::GetColorU32(context.theme.faint);
  const int most_ticks =
      std::max(1, static_cast<int>((ruler.high.x - ruler.low.x) / (4 * ImGui::GetFontSize())));
  for (const double tick : round_ticks(ruler.start_s, ruler.end_s, most_ticks)) {
    const std::string number = axis_number(tick) + " s";
    const float x = std::round(ruler.x(tick)), width = ImGui::CalcTextSize(number.c_str()).x;
    const float left =
        std::clamp(x - width / 2, ruler.low.x + 4 * unit, ruler.high.x - 4 * unit - width);
    draw->AddLine({x, ruler.high.y - 6 * unit}, {x, ruler.high.y}, ink);
    draw->AddText({left, ruler.high.y - 7 * unit - ImGui::GetFontSize()}, ink, number.c_str());
  }
  ImGui::PopFont();
}

void draw_key(const PanelContext& context, ImVec2 at, bool chosen) {
  const float side = kKey_px * context.theme.unit;
  const ImVec2 corners[] = {
      {at.x, at.y - side}, {at.x + side, at.y}, {at.x, at.y + side}, {at.x - side, at.y}};
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddConvexPolyFilled(
      corners, 4,
      chosen ? ImGui::GetColorU32(context.theme.accent) : ImGui::GetColorU32(ImGuiCol_Text));
  draw->AddPolyline(corners, 4, ImGui::GetColorU32(ImGuiCol_WindowBg), ImDrawFlags_Closed,
                    context.theme.unit);
}

/// Clamps the time between the neighbours' times, so that a dragged keyframe keeps its number.
double kept_between(const std::vector<CameraKeyframe>& keys, std::size_t number, double time_s) {
  constexpr double kGap_s = 0.05;
  if (number > 0) time_s = std::max(time_s, keys[number - 1].time_s + kGap_s);
  if (number + 1 < keys.size()) time_s = std::min(time_s, keys[number + 1].time_s - kGap_s);
  return std::max(0.0, time_s);
}

}  // namespace

void PathTimeline::draw(const PanelContext& context) {
  const PathEditor& path = context.session.path;
  const std::vector<CameraKeyframe>& keys = path.path().keyframes;
  const float unit = context.theme.unit, margin = 8 * unit;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 size{ImGui::GetContentRegionAvail().x, kHeight_px * unit};
  ImGui::InvisibleButton("##timeline", size);
  context.places.add("timeline");
  Ruler ruler{.low = {low.x + margin, low.y},
              .high = {low.x + size.x - margin, low.y + size.y},
              .start_s = path.start_s(),
              .end_s = std::max(path.end_s(), path.start_s() + 1)};
  const float middle = low.y + 14 * unit, mouse = ImGui::GetMousePos().x;
  if (ImGui::IsItemActivated()) {
    dragged_.reset();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (std::abs(ruler.x(keys[i].time_s) - mouse) < 1.6f * kKey_px * unit) dragged_ = i;
    }
    seeking_ = !dragged_;
    moved_ = false;
    if (dragged_) context.actions.add("path go", *dragged_ + 1);
  }
  if (!ImGui::IsItemActive()) {
    dragged_.reset();
    seeking_ = false;
  }
  draw_ruler(context, ruler);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const ImVec2 at{ruler.x(keys[i].time_s), middle};
    const float side = kKey_px * unit;
    draw_key(context, at, path.chosen() == i);
    context.places.add(fmt::format("timeline {}", i + 1), {at.x - side, at.y - side},
                       {at.x + side, at.y + side});
  }
  if (keys.size() > 1) {
    const float x = std::round(ruler.x(path.time_s()));
    draw->AddLine({x, low.y}, {x, low.y + size.y}, ImGui::GetColorU32(context.theme.accent),
                  1.5f * unit);
  }
  const bool dragging = ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2 * unit);
  if (dragged_ && *dragged_ < keys.size() && dragging) {
    const double time_s = kept_between(keys, *dragged_, ruler.time_s(mouse));
    if (std::abs(time_s - keys[*dragged_].time_s) > 1e-3) {
      context.actions.add(moved_ ? "path further" : "path move", *dragged_ + 1, to_ms(time_s));
      moved_ = true;
    }
  }
  if (seeking_ && !keys.empty()) {
    const double time_s = ruler.time_s(mouse);
    if (std::abs(time_s - path.time_s()) > 1e-3) context.actions.add("path seek", time_s);
  }
}

}  // namespace mote::gui
