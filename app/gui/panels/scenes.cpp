// The scenes panel: the open scenes with visibility, placement, colours, export and close.
#include <fmt/format.h>
#include <imgui.h>

#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>
#include <limits>

#include "app/gui/fields.h"
#include "app/gui/icons.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets.h"
#include "io/splats/format_lists.h"
#include "scene/similarity.h"

namespace mote::gui {
namespace {

class ScenesPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    const Session& session = context.session;
    draw_open(context);
    if (session.documents.empty()) {
      if (!session.loading) {
        note(
            context,
            R"(Nothing is open. You can also drop a scene, a dataset, or the folder of a training run or of frames into the window.)");
      }
      return;
    }
    ImGui::Spacing();
    for (const Document& document : session.documents.list()) draw_scene(context, document);
    const Document* active = session.documents.active();
    if (active == nullptr) return;
    draw_facts(context, *active);
    if (!may_have_model(*active)) {
      ImGui::Spacing();
      note(context, active->target ? "A neural field can be trained on this file."
                                   : "There are no splats yet.");
      const CameraSet* set = session.find_cameras(active->id);
      const bool trains = active->target || active->run.can_go_on || (set != nullptr && set->data);
      if (trains) wide_action_button(context, "Train ...", {"panel", "train", "on"});
      return;
    }
    if (section(context, "Transform")) draw_place(context, *active);
    const bool is_field = active->field || active->trains_field;
    if (!is_field && section(context, "Colours")) draw_colors(context, *active);
    if (section(context, "Export")) draw_export(context, *active);
    if (active->field && active->field->has_surface() && section(context, "Mesh")) {
      draw_mesh(context, *active);
    }
  }

 private:
  void draw_open(const PanelContext& context) const {
    const Session& session = context.session;
    if (!session.loading) {
      wide_action_button(context, icon_label(icons::kFolderOpen, "Open ..."), "open");
      return;
    }
    const LoadStatus status = session.loader.status();
    const auto fraction = static_cast<float>(status.fraction);
    const std::string text = status.waiting.size() > 1
                                 ? fmt::format("{} to open", status.waiting.size())
                                 : fmt::format("{:.0f} %", 100 * fraction);
    const float side = ImGui::GetFrameHeight();
    ImGui::ProgressBar(fraction,
                       {ImGui::GetContentRegionAvail().x - side - 4 * context.theme.unit, side},
                       text.c_str());
    ImGui::SameLine(0, 4 * context.theme.unit);
    icon_button(context, icons::kClose, "cancel", "Stop opening");
  }

  /// A row with visibility, name, number of elements and a close button.
  void draw_scene(const PanelContext& context, const Document& document) const {
    const bool active = context.session.documents.active() == &document;
    ImGui::PushID(static_cast<int>(document.id));
    icon_button(context, document.shown ? icons::kEye : icons::kEyeClosed,
                {"toggle", document.name}, document.shown ? "Hide this scene" : "Show this scene");
    const float side = ImGui::GetFrameHeight(), gap = 4 * context.theme.unit;
    ImGui::SameLine(0, gap);
    const float width = ImGui::GetContentRegionAvail().x - side - gap;
    const ImVec2 place = ImGui::GetCursorPos();
    if (list_row(context, "scene", active, width)) context.actions.add("activate", document.name);
    tooltip(context, "Edits and exports apply to the marked scene");
    const ImVec2 after = ImGui::GetCursorPos();
    const std::string splats = may_have_model(document) ? with_commas(document.edit.splats) : "";
    const float splats_width = ImGui::CalcTextSize(splats.c_str()).x;
    const float inset = 6 * context.theme.unit;
    ImGui::SetCursorPos({place.x + inset, place.y});
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, document.shown ? ImGui::GetStyleColorVec4(ImGuiCol_Text)
                                                        : context.theme.faint);
    short_text(context, document.name, width - splats_width - 3 * inset);
    ImGui::PopStyleColor();
    ImGui::SetCursorPos({place.x + width - splats_width - inset, place.y});
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(context.theme.faint, "%s", splats.c_str());
    ImGui::SetCursorPos({place.x + width + gap, place.y});
    icon_button(context, icons::kClose, {"close", document.name}, "Close this scene", false,
                !document.training);
    ImGui::SetCursorPos(after);
    ImGui::PopID();
  }

  void draw_facts(const PanelContext& context, const Document& document) const {
    ImGui::Spacing();
    value_row(context, "Format", document.format);
    if (may_have_model(document)) {
      value_row(context, capital(counted(document)), with_commas(document.edit.splats));
    }
    if (document.edit.hidden > 0) {
      value_row(context, "Hidden", with_commas(document.edit.hidden));
    }
    if (!document.source.empty()) value_row(context, "From", document.source.string());
  }

  /// The first change of a drag adds a step to the history; later ones extend it.
  void draw_place(const PanelContext& context, const Document& document) {
    const double size = placed_extent(document).radius;
    const Similarity& t = document.transform;
    glm::dvec3 at = t.translation, angles = glm::degrees(angles_about_axes(t.rotation));
    angles += 0.0;  // avoids "-0.0"
    double scale = t.scale;
    ImGui::BeginGroup();
    bool changed = vector_row(context, "Position", "World units", at, {.speed = 0.005 * size});
    changed |= vector_row(context, "Rotation", "Degrees about the world's x, y and z axis", angles,
                          {.speed = 0.5, .format = "%.1f"});
    changed |= number_row(
        context, "Scale", "Factor on its size in the file", scale,
        {.speed = 0.005, .minimum = 1e-4, .maximum = 1e4, .format = "%.4g", .logarithmic = true});
    ImGui::EndGroup();
    if (changed) {
      context.actions.add(placing_ ? "place further" : "place set", at.x, at.y, at.z, angles.x,
                          angles.y, angles.z, scale);
    }
    placing_ = ImGui::IsItemActive() && (placing_ || changed);
    draw_unit(context);
    wide_action_button(context, icon_label(icons::kLevelUp, "Make upright"), "place upright", true,
                       2);
    ImGui::SameLine();
    wide_action_button(context, icon_label(icons::kUndo, "Reset"), "place reset", !is_identity(t));
  }

  /// Scales the scene so that a measured length gets its true value.
  void draw_unit(const PanelContext& context) {
    field_name(context, "Measured, actual",
               "Corrects the unit: a measured length in the scene, and its actual value");
    const float gap = 4 * context.theme.unit;
    const float width = std::floor((ImGui::GetContentRegionAvail().x - gap) / 2);
    ImGui::SetNextItemWidth(width);
    ImGui::InputDouble("##was", &was_, 0, 0, "%.3g");
    ImGui::SameLine(0, gap);
    ImGui::SetNextItemWidth(width);
    ImGui::InputDouble("##is", &is_, 0, 0, "%.3g");
    wide_action_button(context, "Rescale", {"place unit", was_, is_},
                       was_ > 0 && is_ > 0 && was_ != is_);
  }

  void draw_colors(const PanelContext& context, const Document& document) {
    if (document.training) {
      note(context, "A scene that is being trained cannot be changed.");
      return;
    }
    if (!coloring_ && !context.session.editing) colors_ = document.edit.colors;
    bool changed = slider_row(context, "Exposure", "Stops, brighter or darker", colors_.exposure,
                              {.minimum = -4, .maximum = 4, .format = "%.2f"});
    bool active = ImGui::IsItemActive();
    changed |= slider_row(context, "Contrast", "About middle grey", colors_.contrast,
                          {.minimum = 0, .maximum = 2, .format = "%.2f"});
    active |= ImGui::IsItemActive();
    changed |= slider_row(context, "Saturation", "0 is grey", colors_.saturation,
                          {.minimum = 0, .maximum = 2, .format = "%.2f"});
    active |= ImGui::IsItemActive();
    float tint[3];
    for (int i = 0; i < 3; ++i) tint[i] = static_cast<float>(colors_.tint[i]);
    note(context, "Tint");
    tooltip(context, "Factors of red, green and blue");
    ImGui::SetNextItemWidth(-std::numeric_limits<float>::min());
    if (ImGui::ColorEdit3("##tint", tint, ImGuiColorEditFlags_Float)) {
      for (int i = 0; i < 3; ++i) colors_.tint[i] = std::clamp<double>(tint[i], 0, 4);
      changed = true;
    }
    active |= ImGui::IsItemActive();
    if (changed) {
      context.actions.add(
          coloring_ ? "color further" : "color", fmt::format("exposure={}", colors_.exposure),
          fmt::format("contrast={}", colors_.contrast),
          fmt::format("saturation={}", colors_.saturation),
          fmt::format("tint={},{},{}", colors_.tint.x, colors_.tint.y, colors_.tint.z));
    }
    coloring_ = active && (coloring_ || changed);
    wide_action_button(context, icon_label(icons::kUndo, "Reset"), {"color", "reset"},
                       !(document.edit.colors == ColorAdjustment{}));
  }

  void draw_export(const PanelContext& context, const Document& document) const {
    const std::string what = document.movement ? "Saves the shown frame with all edits applied."
                                               : "Saves the scene with all edits applied.";
    if (document.stream) {
      note(context, "A streamed scene is written by mote convert FILE OUT --time-range FROM,TO.");
      return;
    }
    if (document.field || document.trains_field) {
      note(context, "Writes the field with its transform, which must have no rotation.");
    } else {
      note(context, fmt::format("{} {}.", what, format_strengths()));
    }
    wide_action_button(context, icon_label(icons::kSave, "Export ..."), "export",
                       may_have_model(document) && !context.session.clock.playing());
  }

  void draw_mesh(const PanelContext& context, const Document& document) const {
    const LongTaskStatus status = context.session.meshing.status();
    if (status.busy) {
      progress_bar(context, status.total > 0 ? status.done / status.total : 0,
                   status.cancelling ? "Cancelling" : "Finding the surface");
      note(context, status.name);
      wide_action_button(context, icon_label(icons::kStop, "Cancel"), "mesh cancel",
                         !status.cancelling);
      return;
    }
    const MeshConversion& mesh = context.session.mesh;
    double resolution = mesh.resolution, density = mesh.density;
    if (slider_row(context, "Resolution", "Cells along the longest side", resolution,
                   {.minimum = 16, .maximum = 1024, .format = "%.0f", .logarithmic = true})) {
      context.actions.add("mesh set", fmt::format("resolution={:.0f}", resolution));
    }
    const bool is_nerf = document.field->host().field().application == FieldApplication::nerf;
    if (is_nerf &&
        slider_row(context, "Density", "Density at the surface; more removes fog and thin parts",
                   density,
                   {.minimum = 0.5, .maximum = 200, .format = "%.3g", .logarithmic = true})) {
      context.actions.add("mesh set", fmt::format("density={:.4g}", density));
    }
    note(context, is_nerf ? "Writes the surface as triangles with normals and colours. A field "
                            "that the crop box has cut stays cut."
                          : "Writes the surface as triangles with normals, without colours. A "
                            "field that the crop box has cut stays cut.");
    wide_action_button(context, icon_label(icons::kSave, "Mesh ..."), "mesh export");
  }

  double was_ = 1, is_ = 1;
  ColorAdjustment colors_;  // during a drag
  bool coloring_ = false, placing_ = false;
};

}  // namespace

std::unique_ptr<Panel> make_scenes_panel() {
  return std::make_unique<ScenesPanel>();
}

}  // namespace mote::gui
