// Curves between axes, drawn with ImGui's draw list.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/gui/widgets.h"
#include "core/axis.h"

namespace mote::gui {
namespace {

/// Position of a plot on screen, px, and the ranges of its axes.
struct Frame {
  ImVec2 low, high;  // corners of the area between the axes, upper left and lower right
  AxisScale x, y;

  ImVec2 at(double x_value, double y_value) const {
    return {low.x + static_cast<float>(x.share(x_value)) * (high.x - low.x),
            high.y - static_cast<float>(y.share(y_value)) * (high.y - low.y)};
  }
};

ImU32 faded(ImVec4 color, float part) {
  color.w *= part;
  return ImGui::GetColorU32(color);
}

bool shown(const PlotStyle& style, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && (!style.logarithmic || y > 0);
}

/// Sets the axes' scales. The lengths in px determine the number of ticks.
Frame scaled(std::span<const Curve> curves, const PlotStyle& style, Frame frame) {
  ValueRange x, y;
  for (const Curve& curve : curves) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!shown(style, curve.x[i], curve.y[i])) continue;
      x.add(curve.x[i]);
      y.add(curve.y[i]);
    }
  }
  x.add(0);
  frame.x = {x.low, x.high > x.low ? x.high : x.low + 1, false};
  frame.y = padded_scale(y, style.logarithmic, style.from_zero);
  return frame;
}

void draw_axes(const PanelContext& context, const Frame& frame) {
  constexpr float kTickHeight_em = 2.2f, kTickWidth_em = 4;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 ink = ImGui::GetColorU32(context.theme.faint);
  const ImU32 grid = faded(context.theme.faint, 0.22f);
  const float em = ImGui::GetFontSize(), gap = 5 * context.theme.unit;
  const auto most_ticks = [](float length, float tick) {
    constexpr int kLeast = 2;
    return std::max(kLeast, static_cast<int>(length / tick));
  };
  for (const double tick :
       axis_ticks(frame.y, most_ticks(frame.high.y - frame.low.y, kTickHeight_em * em))) {
    const float y = std::round(frame.at(frame.x.low, tick).y);
    const std::string number = axis_number(tick);
    const ImVec2 size = ImGui::CalcTextSize(number.c_str());
    draw->AddLine({frame.low.x, y}, {frame.high.x, y}, grid);
    draw->AddText({frame.low.x - gap - size.x, y - size.y / 2}, ink, number.c_str());
  }
  for (const double tick :
       axis_ticks(frame.x, most_ticks(frame.high.x - frame.low.x, kTickWidth_em * em))) {
    const float x = std::round(frame.at(tick, frame.y.low).x);
    const std::string number = axis_number(tick);
    const ImVec2 size = ImGui::CalcTextSize(number.c_str());
    draw->AddLine({x, frame.low.y}, {x, frame.high.y}, grid);
    const float left = std::clamp(x - size.x / 2, frame.low.x - gap, frame.high.x - size.x);
    draw->AddText({left, frame.high.y + gap / 2}, ink, number.c_str());
  }
}

void draw_curve(const PanelContext& context, const Frame& frame, const PlotStyle& style,
                const Curve& curve) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 color = curve.faint ? faded(curve.color, 0.3f) : ImGui::GetColorU32(curve.color);
  const float unit = context.theme.unit;
  std::vector<ImVec2> points;  // of the current part without gaps
  const auto end_part = [&] {
    if (points.size() > 1) {
      draw->AddPolyline(points.data(), static_cast<int>(points.size()), color, 0, 1.6f * unit);
    } else if (points.size() == 1) {
      draw->AddCircleFilled(points[0], 2 * unit, color);
    }
    points.clear();
  };
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!shown(style, curve.x[i], curve.y[i])) {
      end_part();
    } else if (curve.dots) {
      draw->AddCircleFilled(frame.at(curve.x[i], curve.y[i]), 3 * unit, color);
    } else {
      points.push_back(frame.at(curve.x[i], curve.y[i]));
    }
  }
  end_part();
}

/// Draws the title at the left and the curves' names at the right, if they fit.
void draw_heading(const PanelContext& context, std::string_view name, std::span<const Curve> curves,
                  ImVec2 low, float width) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 ink = ImGui::GetColorU32(context.theme.faint);
  const float unit = context.theme.unit, em = ImGui::GetFontSize();
  const char* end = name.data() + name.size();
  draw->AddText(low, ImGui::GetColorU32(ImGuiCol_Text), name.data(), end);
  const float least = low.x + ImGui::CalcTextSize(name.data(), end).x + em;
  float x = low.x + width;
  for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve) {
    if (curve->name.empty() || curve->faint) continue;
    const char* begin = curve->name.data();
    const float length = ImGui::CalcTextSize(begin, begin + curve->name.size()).x;
    x -= length;
    if (x - 9 * unit < least) return;
    draw->AddText({x, low.y}, ink, begin, begin + curve->name.size());
    x -= 6 * unit;
    draw->AddCircleFilled({x, low.y + em / 2}, 3 * unit, ImGui::GetColorU32(curve->color));
    x -= 11 * unit;
  }
}

/// Index of the visible point with the nearest x; the number of points if none is visible.
std::size_t nearest(const Curve& curve, const PlotStyle& style, double x) {
  std::size_t best = curve.x.size();
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!shown(style, curve.x[i], curve.y[i])) continue;
    if (best == curve.x.size() || std::abs(curve.x[i] - x) < std::abs(curve.x[best] - x)) best = i;
  }
  return best;
}

void draw_values(const PanelContext& context, const Frame& frame, const PlotStyle& style,
                 std::span<const Curve> curves) {
  const float mouse = std::clamp(ImGui::GetMousePos().x, frame.low.x, frame.high.x);
  const double x =
      frame.x.value(static_cast<double>((mouse - frame.low.x) / (frame.high.x - frame.low.x)));
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddLine({mouse, frame.low.y}, {mouse, frame.high.y}, faded(context.theme.faint, 0.7f));
  ImGui::BeginTooltip();
  bool first = true;
  for (const Curve& curve : curves) {
    if (curve.faint) continue;
    const std::size_t i = nearest(curve, style, x);
    if (i == curve.x.size()) continue;
    if (first) {
      ImGui::TextColored(context.theme.faint, "%s %.0f", std::string(style.x_name).c_str(),
                         curve.x[i]);
    }
    first = false;
    draw->AddCircleFilled(frame.at(curve.x[i], curve.y[i]), 3.5f * context.theme.unit,
                          ImGui::GetColorU32(curve.color));
    ImGui::TextColored(curve.color, "%s", fmt::format("{:.5g}", curve.y[i]).c_str());
    ImGui::SameLine();
    ImGui::TextUnformatted(curve.name.data(), curve.name.data() + curve.name.size());
    context.places.add(fmt::format("{} {:.5g}", curve.name, curve.y[i]));
  }
  if (first) ImGui::TextUnformatted("no values yet");
  ImGui::EndTooltip();
}

}  // namespace

void plot(const PanelContext& context, std::string_view name, std::span<const Curve> curves,
          ImVec2 size, const PlotStyle& style) {
  constexpr float kNumbers_em = 3.3f;
  ImGui::PushFont(context.theme.small);
  const float em = ImGui::GetFontSize(), unit = context.theme.unit;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  context.places.add(name);
  const bool hovered = ImGui::IsItemHovered();
  const Frame frame = scaled(curves, style,
                             {.low = {low.x + kNumbers_em * em, low.y + em + 8 * unit},
                              .high = {low.x + size.x - 6 * unit, low.y + size.y - em - 4 * unit},
                              .x = {},
                              .y = {}});
  const bool visible = frame.high.x > frame.low.x + em && frame.high.y > frame.low.y + em;
  if (visible) {
    ImGui::PushClipRect(low, {low.x + size.x, low.y + size.y}, true);
    draw_heading(context, name, curves, low, size.x - 6 * unit);
    draw_axes(context, frame);
    for (const Curve& curve : curves) draw_curve(context, frame, style, curve);
    ImGui::PopClipRect();
    if (hovered) draw_values(context, frame, style, curves);
  }
  ImGui::PopFont();
}

}  // namespace mote::gui
