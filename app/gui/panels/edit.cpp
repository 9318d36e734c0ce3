// The edit panel: selects splats and edits the selection.
#include <imgui.h>

#include <glm/geometric.hpp>
#include <span>

#include "app/gui/fields.h"
#include "app/gui/icons.h"
#include "app/gui/panels/panels.h"
#include "app/gui/panels/property_selection.h"
#include "app/gui/panels/transform_form.h"
#include "app/gui/widgets.h"
#include "app/viewer/view/selection_gestures.h"
#include "core/machine.h"

namespace mote::gui {
namespace {

class EditPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    const Document* document = context.session.documents.active();
    if (document == nullptr) {
      empty_state(context, "Open a scene to edit it.", icon_label(icons::kFolderOpen, "Open ..."),
                  "open");
      return;
    }
    ImGui::PushFont(context.theme.heading);
    short_text(context, document->name, ImGui::GetContentRegionAvail().x);
    context.places.add(document->name);
    ImGui::PopFont();
    tooltip(context, "The active scene, to which all edits apply");
    if (document->movement || document->stream) {
      draw_moving(context, *document);
      return;
    }
    if (document->field && !document->training) {
      draw_field(context, *document);
      return;
    }
    if (document->training || !document->scene) {
      note(context, "A scene that is being trained cannot be edited. Stop the training first.");
      return;
    }
    draw_tools(context);
    if (section(context, "Transform", false)) transform_.draw(context, *document);
    if (section(context, "Selection")) draw_selection(context, *document);
    if (section(context, "Select by property", false)) properties_.draw(context, *document);
    if (section(context, "Crop box")) draw_box(context, *document);
    if (document->edit.times.duration_s > 0 && section(context, "Times", false)) {
      draw_times(context, *document);
    }
    if (section(context, "History")) draw_history(context, document->edit);
  }

 private:
  /// Draws the edits that apply to every frame, or to all parts of a streamed scene.
  void draw_moving(const PanelContext& context, const Document& document) {
    note(
        context,
        document.stream
            ? R"(This scene is streamed from its file, so the crop box and the colours apply to all of it. To select and delete splats, open a part, which mote convert --time-range writes.)"
            : R"(This scene moves, so the crop box and the colours apply to all frames. To select and delete splats, open the file of one frame.)");
    if (section(context, "Transform", false)) transform_.draw(context, document);
    if (section(context, "Crop box")) draw_box(context, document);
    if (section(context, "History")) draw_history(context, document.edit);
  }

  void draw_field(const PanelContext& context, const Document& document) {
    note(
        context,
        R"(This scene is a neural field. The crop box applies to it; other edits are for splats only.)");
    if (section(context, "Transform", false)) transform_.draw(context, document);
    if (section(context, "Crop box")) draw_box(context, document);
    if (section(context, "History")) draw_history(context, document.edit);
  }

  void draw_tools(const PanelContext& context) const {
    const ViewOptions& view = context.session.view;
    // The gizmos are in the section Transform.
    constexpr std::size_t kPanelTools = 8, kPerRow = 4;
    for (std::size_t first = 0; first < kPanelTools; first += kPerRow) {
      const int chosen = static_cast<int>(view.tool) - static_cast<int>(first);
      action_choice_row(context, "tool", std::span(kToolNames).subspan(first, kPerRow), chosen);
    }
    if (view.tool == Tool::brush) {
      double radius = view.brush_radius_px;
      if (slider_row(context, "Radius", "Radius of the brush, in pixels of the view", radius,
                     {.minimum = 2, .maximum = 300, .format = "%.0f px", .logarithmic = true})) {
        context.actions.add("brush radius", radius);
      }
    }
    if (view.tool == Tool::flood) draw_flood(context);
    if (selects(view.tool) && view.tool != Tool::sphere && view.tool != Tool::flood) {
      bool visible = view.selects_visible;
      if (ImGui::Checkbox("Visible splats only", &visible)) {
        context.actions.add("select visible", visible ? "on" : "off");
      }
      context.places.add("Visible splats only");
      tooltip(context, "Selects no splats behind the visible surface");
    }
    note(context, hint_for(view.tool));
  }

  void draw_flood(const PanelContext& context) const {
    double distance = flood_distance(context.session);
    if (number_row(context, "Distance", "Distance of neighbours at most, world units", distance,
                   {.speed = 0.01, .minimum = 1e-9, .maximum = 1e9, .logarithmic = true})) {
      context.actions.add("flood distance", distance);
    }
    double range = context.session.view.flood_color_range;
    if (slider_row(
            context, "Colour range",
            "Difference from the first splat's colour at most; black and white differ by 1.7",
            range, {.minimum = 0, .maximum = 1.75, .format = "%.2f"})) {
      context.actions.add("flood color", range);
    }
  }

  static std::string_view hint_for(Tool tool) {
    switch (tool) {
      case Tool::rectangle:
      case Tool::brush:
      case Tool::lasso:
        return "Drag in the view. Shift adds, Ctrl subtracts, both together intersect. Alt + drag "
               "orbits.";
      case Tool::polygon:
        return "Click the corners. Enter, a double click or a click on the first corner closes the "
               "polygon; Escape cancels it. Shift and Ctrl at the first corner add and subtract.";
      case Tool::sphere:
        return "Drag from a point of the surface, which becomes the centre. Shift adds, Ctrl "
               "subtracts.";
      case Tool::flood:
        return "Click on a splat. Its neighbours of a similar colour are selected, and theirs. "
               "Shift adds, Ctrl subtracts.";
      case Tool::box:
        return "Drag a handle to move that face. Ctrl moves both faces, Shift the whole box.";
      case Tool::move:
      case Tool::rotate:
      case Tool::scale:
        return "Drag a handle of the gizmo. Ctrl snaps to steps, Escape cancels.";
      case Tool::navigate:
        break;
    }
    return "Dragging moves the camera.";
  }

  void draw_selection(const PanelContext& context, const Document& document) {
    const EditState& edit = document.edit;
    const bool any = edit.selected > 0;
    value_row(context, "Selected",
              fmt::format("{} of {}", with_commas(edit.selected), with_commas(edit.splats)));
    wide_action_button(context, "All", "select all", true, 3);
    ImGui::SameLine();
    wide_action_button(context, "None", "select none", any, 2);
    ImGui::SameLine();
    wide_action_button(context, "Invert", "select invert");
    draw_growth(context, document, any);
    wide_action_button(context, icon_label(icons::kTrash, "Delete"), "delete", any, 2);
    ImGui::SameLine();
    wide_action_button(context, icon_label(icons::kCopy, "Duplicate"), "select duplicate", any);
    wide_action_button(context, icon_label(icons::kEyeClosed, "Hide"), "select hide", any, 2);
    ImGui::SameLine();
    wide_action_button(context, icon_label(icons::kEye, "Show hidden"), "select show",
                       edit.hidden > 0);
    wide_action_button(context, icon_label(icons::kFilter, "Isolate"), "select isolate", any, 3);
    ImGui::SameLine();
    wide_action_button(context, "Separate", "separate", any, 2);
    ImGui::SameLine();
    wide_action_button(context, "Merge", "merge", context.session.documents.list().size() > 1);
    if (edit.hidden > 0) value_row(context, "Hidden", with_commas(edit.hidden));
  }

  void draw_growth(const PanelContext& context, const Document& document, bool any) {
    // Starts with a hundredth of the scene's radius.
    if (scene_ != document.id) {
      scene_ = document.id;
      distance_ = 0.01 * placed_extent(document).radius;
    }
    number_row(
        context, "Distance", "How far the selection grows or shrinks, world units", distance_,
        {.speed = 0.01, .minimum = 1e-9, .maximum = 1e9, .format = "%.3g", .logarithmic = true});
    wide_action_button(context, icon_label(icons::kPlus, "Grow"), {"select grow", distance_}, any,
                       2);
    ImGui::SameLine();
    wide_action_button(context, icon_label(icons::kMinus, "Shrink"), {"select shrink", distance_},
                       any);
  }

  void draw_times(const PanelContext& context, const Document& document) {
    const double end_s = document.edit.times.duration_s;
    if (times_of_ != document.id) {
      times_of_ = document.id;
      from_s_ = 0;
      to_s_ = end_s;
    }
    const NumberStyle style{
        .speed = 0.002 * end_s, .minimum = 0, .maximum = end_s, .format = "%.3f"};
    number_row(context, "From", "First time that is kept, s", from_s_, style);
    number_row(context, "To", "Last time that is kept, s", to_s_, style);
    wide_action_button(context, icon_label(icons::kCrop, "Delete at other times"),
                       {"crop time", from_s_, to_s_}, from_s_ < to_s_);
    tooltip(context, "Delete the splats that are seen at none of these times");
  }

  void draw_box(const PanelContext& context, const Document& document) const {
    const auto& box = context.session.box;
    if (!box) {
      note(context, document.field ? "Keeps the part of the field in a box."
                                   : "Keeps the splats in a box and deletes all others.");
      wide_action_button(context, "Around scene", {"box fit", "scene"}, true, 2);
      ImGui::SameLine();
      wide_action_button(context, "Around selection", {"box fit", "selection"},
                         document.edit.selected > 0);
      return;
    }
    glm::dvec3 center = box->center, size = 2.0 * box->half_size;
    const NumberStyle style{.speed = 0.002 * glm::length(size)};
    if (vector_row(context, "Middle", "World units", center, style)) {
      context.actions.add("box center", center.x, center.y, center.z);
    }
    NumberStyle sides = style;
    sides.minimum = 1e-9;
    sides.maximum = 1e9;
    if (vector_row(context, "Size", "World units, along its own axes", size, sides)) {
      context.actions.add("box size", size.x, size.y, size.z);
    }
    draw_turns(context);
    wide_action_button(context, "Fit scene", {"box fit", "scene"}, true, 2);
    ImGui::SameLine();
    wide_action_button(context, "Fit selection", {"box fit", "selection"},
                       document.edit.selected > 0);
    wide_action_button(context, "Select inside", "box select", document.scene != nullptr, 2);
    ImGui::SameLine();
    wide_action_button(context, "Remove box", "box clear");
    wide_action_button(context, icon_label(icons::kCrop, "Delete outside"), "box apply");
  }

  /// Buttons for turns by 22.5 degrees about the world's axes.
  void draw_turns(const PanelContext& context) const {
    note(context, "Rotate by 22.5\u00B0 about");
    wide_action_button(context, "x", {"box turn", 22.5, 0, 0}, true, 4);
    ImGui::SameLine();
    wide_action_button(context, "y", {"box turn", 0, 22.5, 0}, true, 3);
    ImGui::SameLine();
    wide_action_button(context, "z", {"box turn", 0, 0, 22.5}, true, 2);
    ImGui::SameLine();
    wide_action_button(context, "Level", "box level",
                       context.session.box->rotation != glm::dmat3(1));
  }

  void draw_history(const PanelContext& context, const EditState& edit) const {
    const auto label = [](const char* icon, std::string_view what, const std::string& name) {
      return icon_label(icon, name.empty() ? std::string(what) : fmt::format("{} {}", what, name));
    };
    wide_action_button(context, label(icons::kUndo, "Undo", edit.undo_name), "undo scene",
                       edit.undo_steps > 0, 2);
    ImGui::SameLine();
    wide_action_button(context, label(icons::kRedo, "Redo", edit.redo_name), "redo scene",
                       edit.redo_steps > 0);
    value_row(context, "Steps",
              fmt::format("{} back, {} forward", edit.undo_steps, edit.redo_steps));
    value_row(context, "Memory", bytes_text(edit.history_bytes));
  }

  PropertySelection properties_;
  TransformForm transform_;
  std::uint32_t scene_ = 0;  // scene for which distance_ was chosen
  double distance_ = 0.1;
  std::uint32_t times_of_ = 0;  // scene for which the times were chosen
  double from_s_ = 0, to_s_ = 0;
};

}  // namespace

std::unique_ptr<Panel> make_edit_panel() {
  return std::make_unique<EditPanel>();
}

}  // namespace mote::gui
