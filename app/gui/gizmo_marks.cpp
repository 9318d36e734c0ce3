#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/view_marks.h"
#include "app/viewer/view/view_lines.h"

namespace mote::gui {
namespace {

using PartKind = GizmoPart::Kind;

const ImVec4 kPlain{0.92f, 0.92f, 0.92f, 1}, kLit{1, 0.84f, 0.30f, 1}, kDark{0, 0, 0, 0.5f};

ImU32 color_of(const ImVec4& color, float alpha = 1) {
  return ImGui::ColorConvertFloat4ToU32({color.x, color.y, color.z, color.w * alpha});
}

ImVec4 own_color(const GizmoPart& part) {
  const bool of_axis =
      part.kind == PartKind::axis || part.kind == PartKind::plane || part.kind == PartKind::ring;
  return of_axis ? kAxisColors[static_cast<std::size_t>(part.axis)] : kPlain;
}

/// Draws the handles of one gizmo.
class GizmoPainter {
 public:
  GizmoPainter(ImDrawList* draw, ImVec2 corner, float unit)
      : draw_(draw), corner_(corner), unit_(unit) {}

  /// `lit`: hovered or held. `faint`: another handle is held.
  void paint(const GizmoHandle& handle, bool lit, bool faint) {
    points_.clear();
    for (const glm::dvec2& px : handle.line_px) points_.push_back(at(px));
    const ImVec4 color = lit ? kLit : own_color(handle.part);
    const float alpha = faint || !handle.is_front ? 0.25f : 1;
    if (handle.is_area) {
      turn_clockwise();
      draw_->AddConvexPolyFilled(points_.data(), count(),
                                 color_of(color, alpha * (lit ? 0.75f : 0.4f)));
      outline(color_of(kDark, alpha), 3, true);
      outline(color_of(color, alpha), 1.5f, true);
      return;
    }
    const float width = lit ? 4.0f : 3.0f;
    outline(color_of(kDark, alpha), width + 2, false);
    outline(color_of(color, alpha), width, false);
    if (handle.part.kind == PartKind::axis) paint_head(handle, color_of(color, alpha));
  }

 private:
  /// ImGui smooths the edges of areas in this order only.
  void turn_clockwise() {
    float twice_area = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const ImVec2 &a = points_[i], &b = points_[(i + 1) % points_.size()];
      twice_area += a.x * b.y - a.y * b.x;
    }
    if (twice_area < 0) std::reverse(points_.begin(), points_.end());
  }
  ImVec2 at(const glm::dvec2& px) const {
    return {corner_.x + static_cast<float>(px.x), corner_.y + static_cast<float>(px.y)};
  }
  int count() const { return static_cast<int>(points_.size()); }
  void outline(ImU32 color, float width, bool closed) {
    draw_->AddPolyline(points_.data(), count(), color,
                       closed ? ImDrawFlags_Closed : ImDrawFlags_None, width * unit_);
  }
  void paint_head(const GizmoHandle& handle, ImU32 color) {
    const glm::dvec2 from = handle.line_px.front(), to = handle.line_px.back();
    const double length = glm::length(to - from);
    if (!(length > 1)) return;
    const glm::dvec2 along = (to - from) / length, across(-along.y, along.x);
    const double head = kGizmoHeadPx * static_cast<double>(unit_);
    draw_->AddTriangleFilled(at(to + head * along), at(to + 0.45 * head * across),
                             at(to - 0.45 * head * across), color);
  }

  ImDrawList* draw_;
  ImVec2 corner_;
  float unit_;
  std::vector<ImVec2> points_;
};

}  // namespace

void draw_label(const PanelContext& context, ImVec2 low, const std::string& text) {
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  const float unit = context.theme.unit;
  const ImVec2 size = ImGui::CalcTextSize(text.c_str()), pad{6 * unit, 3 * unit};
  draw->AddRectFilled(low, {low.x + size.x + 2 * pad.x, low.y + size.y + 2 * pad.y},
                      ImGui::GetColorU32(ImGuiCol_PopupBg, 0.9f), 4 * unit);
  draw->AddText({low.x + pad.x, low.y + pad.y}, ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
}

void draw_gizmo(const PanelContext& context, const ViewTools& tools,
                const present::Rectangle& picture) {
  const GizmoTool& tool = tools.gizmo();
  const auto gizmo = tool.shown(context.session);
  if (!gizmo || context.session.frame == nullptr) return;
  const auto shape = shape_of(*gizmo, shown_camera(context.session), tools.unit());
  if (!shape) return;
  const ImVec2 corner{static_cast<float>(picture.x), static_cast<float>(picture.y)};
  const ImVec2 end{corner.x + static_cast<float>(picture.width),
                   corner.y + static_cast<float>(picture.height)};
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  draw->PushClipRect(corner, end, true);
  GizmoPainter painter(draw, corner, context.theme.unit);
  const auto held = tool.held();
  const auto lit = held ? held : tool.hovered();
  for (const GizmoHandle& handle : shape->handles) {
    painter.paint(handle, lit == handle.part, held && held != handle.part);
  }
  if (held && tools.hover_px()) {
    const float away = 18 * context.theme.unit;
    draw_label(context,
               {corner.x + static_cast<float>(tools.hover_px()->x) + away,
                corner.y + static_cast<float>(tools.hover_px()->y) + away},
               tool.numbers());
  }
  draw->PopClipRect();
  context.places.add("gizmo",
                     {corner.x + static_cast<float>(shape->origin_px.x) - 1,
                      corner.y + static_cast<float>(shape->origin_px.y) - 1},
                     {corner.x + static_cast<float>(shape->origin_px.x) + 1,
                      corner.y + static_cast<float>(shape->origin_px.y) + 1});
}

}  // namespace mote::gui
