#include "app/gui/panels/transform_form.h"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/gui/fields.h"
#include "app/gui/widgets.h"

namespace mote::gui {
namespace {

constexpr std::array<Tool, 3> kTransformTools{Tool::move, Tool::rotate, Tool::scale};
constexpr std::array<std::string_view, 3> kTransformActions{"gizmo move", "gizmo rotate",
                                                            "gizmo scale"};

void draw_gizmo_choice(const PanelContext& context) {
  constexpr std::array<std::string_view, 3> kLabels{"Move", "Rotate", "Scale"};
  const auto* chosen =
      std::find(kTransformTools.begin(), kTransformTools.end(), context.session.view.tool);
  const int clicked = choice_row(
      context, "gizmo", kLabels,
      chosen == kTransformTools.end() ? -1 : static_cast<int>(chosen - kTransformTools.begin()));
  if (clicked >= 0) context.actions.add(kTransformActions[static_cast<std::size_t>(clicked)]);
  if (chosen == kTransformTools.end()) return;
  constexpr std::array<std::array<std::string_view, 2>, 3> kSettings{
      {{"gizmo-frame", "move-step"},
       {"gizmo-frame", "rotate-step"},
       {"gizmo-frame", "scale-step"}}};
  setting_rows(context, kSettings[static_cast<std::size_t>(chosen - kTransformTools.begin())]);
  note(context, "Ctrl snaps to steps. Escape cancels a drag.");
}

}  // namespace

void TransformForm::draw(const PanelContext& context, const Document& document) {
  const bool selection = document.scene && !document.training && document.edit.selected > 0;
  value_row(context, "Acts on", selection ? "the selection" : "the whole scene");
  draw_gizmo_choice(context);
  const double size = selection && document.edit.selection_extent
                          ? document.transform.scale * document.edit.selection_extent->radius
                          : placed_extent(document).radius;
  const std::string verb = selection ? "select" : "place";
  const auto row = [&](const char* label, std::string_view action, bool changes,
                       const glm::dvec3& v) {
    wide_action_button(context, label, {fmt::format("{} {}", verb, action), v.x, v.y, v.z},
                       changes);
  };
  vector_row(context, "Move by", "World units, along the world's axes", move_,
             {.speed = 0.005 * size});
  row("Apply move", "move", move_ != glm::dvec3(0), move_);
  vector_row(context, "Rotate by", "Degrees about the world's axes through the centre", turn_,
             {.speed = 0.5, .format = "%.1f"});
  row("Apply rotation", "turn", turn_ != glm::dvec3(0), turn_);
  number_row(
      context, "Scale by", "Factor about the centre, the same along all axes", scale_,
      {.speed = 0.005, .minimum = 1e-4, .maximum = 1e4, .format = "%.4g", .logarithmic = true});
  wide_action_button(context, "Apply scale", {fmt::format("{} scale", verb), scale_}, scale_ != 1);
}

}  // namespace mote::gui
