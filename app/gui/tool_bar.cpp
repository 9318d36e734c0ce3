// The tool bar at the view's upper left: the tool of the left button, and the display.
#include "app/gui/fields.h"
#include "app/gui/icons.h"
#include "app/gui/overlays.h"
#include "app/gui/widgets.h"
#include "app/viewer/session/settled_scene.h"

namespace mote::gui {
namespace {

/// A tool whose action has a key, and chooses the camera again if the tool is chosen.
struct GizmoButton {
  Tool tool;
  const char *icon, *action, *help;
};

constexpr GizmoButton kGizmos[] = {
    {Tool::move, icons::kMove, "gizmo move", "Move the selection, or the scene"},
    {Tool::rotate, icons::kRefresh, "gizmo rotate", "Rotate the selection, or the scene"},
    {Tool::scale, icons::kResize, "gizmo scale", "Scale the selection, or the scene"},
};

struct ToolButton {
  Tool tool;
  const char* icon;
  const char* help;
};

constexpr ToolButton kTools[] = {
    {Tool::navigate, icons::kPointer, "Move the camera"},
    {Tool::rectangle, icons::kRectangle, "Select a rectangle"},
    {Tool::brush, icons::kBrush, "Select with a brush"},
    {Tool::lasso, icons::kPencil, "Select with a lasso"},
    {Tool::polygon, icons::kPolygon, "Select a polygon: click its corners, Enter closes it"},
    {Tool::sphere, icons::kGlobe, "Select a sphere: drag from its centre"},
    {Tool::flood, icons::kDrop, "Select connected splats of a similar colour"},
    {Tool::box, icons::kCrop, "Move the crop box"},
};

/// Puts the next item beside the last one, or into the next row if it would leave the view.
/// `right`: the end of the rows in the ImGui window; px.
void beside(float width, float right) {
  ImGui::SameLine();
  if (ImGui::GetCursorPosX() + width > right) ImGui::NewLine();
}

void mode_choice(const PanelContext& context, float right) {
  const RenderMode* shown = context.session.view.mode;
  const float width = 7 * ImGui::GetFontSize();
  beside(width, right);
  ImGui::SetNextItemWidth(width);
  const bool open = ImGui::BeginCombo("##mode", mode_title(*shown).c_str());
  context.places.add("Mode");
  if (!open) {
    tooltip(context, "Display mode  (M)");
    return;
  }
  for (const RenderMode& mode : render_modes()) {
    const std::string_view fault = mode_fault(context.session, mode);
    const ImGuiSelectableFlags flags =
        fault.empty() ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
    if (ImGui::Selectable(mode_title(mode).c_str(), &mode == shown, flags)) {
      context.actions.add("mode", mode.name);
    }
    context.places.add(mode_title(mode));
    tooltip(context, fault.empty() ? mode.help : fault);
  }
  ImGui::EndCombo();
}

void compare_choice(const PanelContext& context, float right) {
  const Session& session = context.session;
  if (!session.photograph) return;
  const auto chosen = static_cast<std::size_t>(session.view.compare);
  const float width = 8 * ImGui::GetFontSize();
  beside(width, right);
  ImGui::SetNextItemWidth(width);
  const std::string shown = icon_label(icons::kColumns, capital(kCompareNames[chosen]));
  const bool open = ImGui::BeginCombo("##compare", shown.c_str());
  context.places.add("Compare");
  if (!open) {
    tooltip(context, "Compare with the photograph");
    return;
  }
  for (std::size_t i = 0; i < kCompareNames.size(); ++i) {
    const std::string name = capital(kCompareNames[i]);
    if (ImGui::Selectable(name.c_str(), i == chosen)) {
      context.actions.add("compare", kCompareNames[i]);
    }
    context.places.add(name);
  }
  ImGui::EndCombo();
}

/// The error that a comparison by difference shows.
void metric_choice(const PanelContext& context, float right) {
  const Session& session = context.session;
  if (!session.photograph || session.view.compare != Compare::difference) return;
  const std::string& shown = session.settings().display.error_metric;
  const float width = 7 * ImGui::GetFontSize();
  beside(width, right);
  ImGui::SetNextItemWidth(width);
  const bool open = ImGui::BeginCombo("##metric", capital(shown).c_str());
  context.places.add("Error metric");
  if (!open) {
    tooltip(context, "Error metric");
    return;
  }
  for (const std::string& name : kErrorMetricNames) {
    if (ImGui::Selectable(capital(name).c_str(), name == shown)) {
      context.actions.add("set", "error-metric", name);
    }
    context.places.add(capital(name));
  }
  ImGui::EndCombo();
}

}  // namespace

void draw_tool_bar(const PanelContext& context, const present::Rectangle& view) {
  if (context.session.documents.empty()) return;
  const float unit = context.theme.unit, margin = 12 * unit;
  ImGui::SetNextWindowPos(
      {static_cast<float>(view.x) + margin, static_cast<float>(view.y) + margin});
  ImGui::SetNextWindowBgAlpha(context.theme.dark ? 0.88f : 0.94f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {6 * unit, 6 * unit});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {4 * unit, 4 * unit});
  ImGui::Begin("tools", nullptr, kFloatingPart);
  const float right = static_cast<float>(view.width) - 2 * margin - 6 * unit;
  const float side = ImGui::GetFrameHeight();
  for (const ToolButton& button : kTools) {
    if (&button != kTools) beside(side, right);
    const std::string_view name = kToolNames[static_cast<std::size_t>(button.tool)];
    icon_button(context, button.icon, ActionCall(fmt::format("tool {}", name)), button.help,
                context.session.view.tool == button.tool);
  }
  for (const GizmoButton& button : kGizmos) {
    beside(side, right);
    icon_button(context, button.icon, button.action, button.help,
                context.session.view.tool == button.tool);
  }
  mode_choice(context, right);
  compare_choice(context, right);
  metric_choice(context, right);
  ImGui::End();
  ImGui::PopStyleVar(2);
}

}  // namespace mote::gui
