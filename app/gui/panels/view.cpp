// The view panel: display mode of the splats, and display options of the picture.
#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/gui/fields.h"
#include "app/gui/icons.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets.h"
#include "app/viewer/session/settled_scene.h"

namespace mote::gui {
namespace {

/// Draws the legend of the mode's colours, if the current picture has one.
void draw_legend(const PanelContext& context, const RenderMode& mode) {
  const FinishedFrame* frame = context.session.frame;
  if (!mode.legend || frame == nullptr || !frame->range) return;
  constexpr int kSteps = 48;
  const float width = ImGui::GetContentRegionAvail().x, height = 12 * context.theme.unit;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width, height});
  const auto color = [&](int i) {
    const glm::vec3 rgb = mode.legend->color(static_cast<float>(i) / kSteps);
    return ImGui::GetColorU32({rgb.x, rgb.y, rgb.z, 1});
  };
  for (int i = 0; i < kSteps; ++i) {
    const float step = width / kSteps, left = corner.x + step * static_cast<float>(i);
    const ImU32 from = color(i), to = color(i + 1);
    ImGui::GetWindowDrawList()->AddRectFilledMultiColor(
        {left, corner.y}, {left + step, corner.y + height}, from, to, to, from);
  }
  const std::string low = fmt::format("{:.4g}", frame->range->low),
                    high = fmt::format("{:.4g}", frame->range->high);
  ImGui::TextUnformatted(low.c_str());
  ImGui::SameLine(ImGui::GetCursorPosX() + width - ImGui::CalcTextSize(high.c_str()).x);
  ImGui::TextUnformatted(high.c_str());
  note(context, capital(mode.legend->values) + ".");
}

class ViewPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    if (section(context, "Mode")) draw_modes(context);
    if (section(context, "Splats")) draw_splats(context);
    if (section(context, "Display")) {
      constexpr std::array<std::string_view, 3> kAlways{"exposure", "tone", "backdrop"};
      setting_rows(context, kAlways);
      if (context.session.settings().display.backdrop == "color") {
        constexpr std::array<std::string_view, 1> kColor{"backdrop-color"};
        setting_rows(context, kColor);
      }
      constexpr std::array<std::string_view, 1> kUpscale{"upscale"};
      setting_rows(context, kUpscale);
      note(context,
           "These settings change the picture on screen only, not exports, renderings or scores.");
      wide_action_button(context, icon_label(icons::kUndo, "Restore defaults"), "display reset",
                         !(context.session.settings().display == DisplaySettings{}));
    }
    if (section(context, "Marks")) {
      constexpr std::array<std::string_view, 9> kMarks{
          "grid",        "axis-cross", "legend",    "pixel-values", "frusta", "frustum-photographs",
          "camera-path", "trails",     "statistics"};
      setting_rows(context, kMarks);
    }
  }

 private:
  void draw_modes(const PanelContext& context) const {
    const RenderMode* shown = context.session.view.mode;
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 2 * context.theme.unit});
    for (const RenderMode& mode : render_modes()) {
      const ImVec2 place = ImGui::GetCursorPos();
      const std::string_view fault = mode_fault(context.session, mode);
      if (list_row(context, mode.name, &mode == shown, width) && fault.empty()) {
        context.actions.add("mode", mode.name);
      }
      tooltip(context, fault.empty() ? mode.help : fault);
      const ImVec2 after = ImGui::GetCursorPos();
      ImGui::SetCursorPos({place.x + 8 * context.theme.unit, place.y});
      ImGui::AlignTextToFramePadding();
      const ImVec4 color = &mode == shown   ? context.theme.accent
                           : !fault.empty() ? context.theme.faint
                                            : ImGui::GetStyleColorVec4(ImGuiCol_Text);
      ImGui::TextColored(color, "%s", mode_title(mode).c_str());
      ImGui::SetCursorPos(after);
    }
    ImGui::PopStyleVar();
    ImGui::Spacing();
    note(context, capital(shown->help) + ".");
    draw_legend(context, *shown);
    if (shown->outputs.slice) draw_slice(context);
  }

  void draw_slice(const PanelContext& context) const {
    const SliceOptions& slice = context.session.view.slice;
    const auto chosen = std::ranges::find(kSliceAxes, slice.axis) - kSliceAxes.begin();
    note(context, "The plane is perpendicular to");
    action_choice_row(context, "slice", kSliceAxes, static_cast<int>(chosen));
    double place = slice.place;
    if (slider_row(context, "Position", "From the middle of the scene, in radii of the scene",
                   place, {.minimum = -1, .maximum = 1, .format = "%.3f"})) {
      context.actions.add("slice", slice.axis, place);
    }
  }

  void draw_splats(const PanelContext& context) const {
    const Session& session = context.session;
    static constexpr std::array<std::string_view, kMaxShDegree + 1> kDegrees{"0", "1", "2", "3",
                                                                             "4"};
    constexpr std::array<std::string_view, 3> kSettings{"antialiased", "background",
                                                        "run-background"};
    setting_rows(context, kSettings);
    double scale = static_cast<double>(session.view.splat_scale);
    if (slider_row(context, "Size", "Factor on the size of every splat", scale,
                   {.minimum = 0.05, .maximum = 4, .format = "%.2f times", .logarithmic = true})) {
      context.actions.add("splat-scale", std::clamp(scale, 0.05, 4.0));
    }
    const int degree = session.scene ? session.scene->detail : 0;
    if (degree == 0) return;
    note(context, fmt::format("SH degree (scene: {})", degree));
    const int clicked = choice_row(context, "degree",
                                   std::span(kDegrees).first(static_cast<std::size_t>(degree) + 1),
                                   std::min(session.view.max_sh_degree, degree));
    // The scene's full degree is stored as the maximum, so that it also applies to other scenes.
    if (clicked >= 0) {
      context.actions.add("harmonics", clicked == degree ? kMaxShDegree : clicked);
    }
  }
};

}  // namespace

std::unique_ptr<Panel> make_view_panel() {
  return std::make_unique<ViewPanel>();
}

}  // namespace mote::gui
