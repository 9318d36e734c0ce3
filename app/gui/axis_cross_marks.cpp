#include <imgui.h>

#include <glm/gtc/quaternion.hpp>

#include "app/gui/overlays.h"
#include "app/gui/view_marks.h"
#include "app/gui/widgets.h"
#include "app/viewer/view/axis_cross.h"
#include "app/viewer/view/photograph_view.h"

namespace mote::gui {
namespace {

constexpr float kArmPx = 34, kEndPx = 9;

/// Draws one end, with its line to the middle if it is the positive one.
void draw_end(const PanelContext& context, const CrossEnd& end, ImVec2 middle, bool lit) {
  const float unit = context.theme.unit, radius = kEndPx * unit;
  // Ends behind the middle are darker.
  const auto shade = static_cast<float>(1 - 0.3 * (0.5 + 0.5 * end.depth));
  ImVec4 color = kAxisColors[static_cast<std::size_t>(end.axis)];
  color = {color.x * shade, color.y * shade, color.z * shade, 1};
  const ImVec2 at{middle.x + kArmPx * unit * static_cast<float>(end.place.x),
                  middle.y + kArmPx * unit * static_cast<float>(end.place.y)};
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 solid = ImGui::ColorConvertFloat4ToU32(color);
  if (end.positive) draw->AddLine(middle, at, solid, 2.5f * unit);
  color.w = end.positive ? 1 : 0.35f;
  draw->AddCircleFilled(at, radius, ImGui::ColorConvertFloat4ToU32(color));
  draw->AddCircle(at, radius, lit ? IM_COL32_WHITE : solid, 0, lit ? 2 * unit : 1.2f * unit);
  if (!end.positive && !lit) return;
  const std::string name = std::string(end.positive ? "" : "-") + "XYZ"[end.axis];
  ImFont* font = context.theme.small;
  const ImVec2 size = font->CalcTextSizeA(font->FontSize, 1e3f, 0, name.c_str());
  draw->AddText(font, font->FontSize, {at.x - 0.5f * size.x, at.y - 0.5f * size.y},
                end.positive ? IM_COL32(20, 20, 20, 255) : IM_COL32_WHITE, name.c_str());
}

}  // namespace

void draw_axis_cross(const PanelContext& context, const present::Rectangle& view) {
  const Session& session = context.session;
  if (!session.settings().axis_cross || session.documents.empty() || comparing(session)) return;
  const float unit = context.theme.unit, margin = 8 * unit;
  const float side = 2 * (kArmPx + kEndPx + 2) * unit;
  const ImVec2 low{static_cast<float>(view.x) + margin,
                   static_cast<float>(view.y + view.height) - margin - side};
  if (static_cast<float>(view.width) < 3 * side || static_cast<float>(view.height) < 2 * side)
    return;
  ImGui::SetNextWindowPos(low);
  ImGui::SetNextWindowSize({side, side});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("axis cross", nullptr,
               kFixedPart | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing);
  const ImVec2 middle{low.x + 0.5f * side, low.y + 0.5f * side};
  const glm::dmat3 rotation =
      glm::transpose(glm::mat3_cast(session.navigator.pose().world_from_cam));
  const auto ends = cross_ends(rotation);
  const float radius = kEndPx * unit;
  std::size_t lit = ends.size();
  // The nearest one takes the pointer.
  for (std::size_t i = ends.size(); i-- > 0;) {
    const std::string name(name_of(ends[i]));
    ImGui::SetCursorScreenPos(
        {middle.x + kArmPx * unit * static_cast<float>(ends[i].place.x) - radius,
         middle.y + kArmPx * unit * static_cast<float>(ends[i].place.y) - radius});
    if (ImGui::InvisibleButton(name.c_str(), {2 * radius, 2 * radius})) {
      context.actions.add("camera from", name);
    }
    context.places.add("Look from " + name);
    if (ImGui::IsItemHovered() && lit == ends.size()) lit = i;
    tooltip(context, "Look from " + name);
  }
  for (std::size_t i = 0; i < ends.size(); ++i) draw_end(context, ends[i], middle, i == lit);
  ImGui::End();
  ImGui::PopStyleVar();
}

}  // namespace mote::gui
