// The camera panel: the view's position in numbers, photographs, and help on moving by mouse and
// keys.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <array>
#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>

#include "app/gui/camera_widgets.h"
#include "app/gui/fields.h"
#include "app/gui/icons.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets.h"
#include "app/viewer/view/frustum_marks.h"
#include "app/viewer/view/photograph_view.h"
#include "core/spelling.h"

namespace mote::gui {
namespace {

class CameraPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    if (shown_cameras(context.session) != nullptr && section(context, "Photograph")) {
      draw_photograph(context);
    }
    if (section(context, "View")) draw_view(context);
    if (section(context, "Up")) draw_up(context);
    if (section(context, "Flying")) draw_flying(context);
    if (section(context, "Mouse and keys", false)) draw_hints(context);
  }

 private:
  void draw_photograph(const PanelContext& context) {
    const Session& session = context.session;
    const CameraSet& set = *shown_cameras(session);
    const bool any = session.photograph && session.photograph->set == set.id;
    const std::string name = any ? set.views[session.photograph->index].name : "Choose one";
    camera_set_choice(context, ImGui::GetContentRegionAvail().x);
    const float side = ImGui::GetFrameHeight(), gap = 4 * context.theme.unit;
    icon_button(context, icons::kPrevious, "photograph previous", "Previous photograph");
    ImGui::SameLine(0, gap);
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - side - gap);
    if (ImGui::BeginCombo("##photograph", name.c_str(), ImGuiComboFlags_HeightLarge)) {
      draw_names(context, set, any);
      ImGui::EndCombo();
    }
    ImGui::SameLine(0, gap);
    icon_button(context, icons::kNext, "photograph next", "Next photograph");
    if (!any) {
      note(context, fmt::format("{}. Click a camera in the view to move there.",
                                number_of(set.views.size(), "photograph")));
      return;
    }
    draw_comparison(context, set);
  }

  void draw_names(const PanelContext& context, const CameraSet& set, bool any) {
    if (ImGui::IsWindowAppearing()) {
      filter_.clear();
      ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##filter", "Part of the name", &filter_);
    for (std::size_t i = 0; i < set.views.size(); ++i) {
      const ViewMark& view = set.views[i];
      if (view.name.find(filter_) == std::string::npos) continue;
      const bool chosen = any && context.session.photograph->index == i;
      const std::string label = view.test ? view.name + "  (test)" : view.name;
      if (ImGui::Selectable(fmt::format("{}##{}", label, i).c_str(), chosen)) {
        context.actions.add("photograph number", i + 1);
      }
    }
  }

  void draw_comparison(const PanelContext& context, const CameraSet& set) const {
    const Session& session = context.session;
    const PhotographView& photograph = *session.photograph;
    if (!set.data) {
      note(context, "This camera has no photograph to compare with.");
      return;
    }
    action_choice_row(context, "compare", kCompareNames, static_cast<int>(session.view.compare));
    if (session.view.compare != Compare::off && !at_photograph(session)) {
      note(context, "The view has moved away.");
      wide_action_button(context, icon_label(icons::kCamera, "Back to the photograph"),
                         {"photograph number", photograph.index + 1});
    }
    if (photograph.score) {
      value_row(context, "PSNR", fmt::format("{:.2f} dB", photograph.score->psnr_db));
      value_row(context, "SSIM", fmt::format("{:.4f}", photograph.score->ssim));
    } else {
      wide_action_button(context, icon_label(icons::kGauge, "Measure"), "score");
    }
  }

  void draw_view(const PanelContext& context) {
    const Navigator& navigator = context.session.navigator;
    glm::dvec3 eye = navigator.target().eye_world, focus = navigator.target().focus_world();
    const NumberStyle style{.speed = 0.005 * navigator.target().focus_distance};
    bool changed = vector_row(context, "Eye", "World units", eye, style);
    changed |= vector_row(context, "Target", "The point that the camera orbits", focus, style);
    if (changed && glm::length(focus - eye) > 0) {
      context.actions.add("camera place", eye.x, eye.y, eye.z, focus.x, focus.y, focus.z);
    }
    double angle = glm::degrees(field_of_view(navigator.lens()));
    if (slider_row(context, "Field of view", "Across the shorter side", angle,
                   {.minimum = 5, .maximum = 150, .format = "%.1f\u00B0"})) {
      context.actions.add("camera lens", angle);
    }
    wide_action_button(context, icon_label(icons::kExpand, "Frame all"), "camera frame", true, 2);
    ImGui::SameLine();
    wide_action_button(context, icon_label(icons::kHome, "Reset"), "camera reset");
  }

  void draw_up(const PanelContext& context) const {
    static constexpr std::array<std::string_view, 6> kAxes{"x", "-x", "y", "-y", "z", "-z"};
    const glm::dvec3 up = glm::normalize(context.session.navigator.up_world());
    int chosen = -1;
    for (int i = 0; i < 6; ++i) {
      if ((i % 2 == 0 ? 1 : -1) * up[i / 2] > 1 - 1e-9) chosen = i;
    }
    const int clicked = choice_row(context, "up", kAxes, chosen);
    if (clicked >= 0) context.actions.add("camera up", kAxes[static_cast<std::size_t>(clicked)]);
    wide_action_button(context, "As the view", {"camera up", "view"}, true, 3);
    ImGui::SameLine();
    wide_action_button(context, "As cameras", {"camera up", "cameras"},
                       !context.session.cameras.empty(), 2);
    ImGui::SameLine();
    wide_action_button(context, "Level", "camera level");
  }

  void draw_flying(const PanelContext& context) const {
    double speed = context.session.navigator.speed();
    if (number_row(context, "Speed", "World units per second", speed,
                   {.speed = 0.01,
                    .minimum = 1e-6,
                    .maximum = 1e6,
                    .format = "%.3g /s",
                    .logarithmic = true})) {
      context.actions.add("camera speed", speed);
    }
  }

  void draw_hints(const PanelContext& context) const {
    value_row(context, "Drag", "orbit the target");
    value_row(context, "Right drag", "look around");
    value_row(context, "Middle drag", "move sideways");
    value_row(context, "Wheel", "zoom towards the pointer");
    value_row(context, "Double click", "orbit that point");
    value_row(context, "W A S D", "fly");
    value_row(context, "Q E", "fly down and up");
  }

  std::string filter_;
};

}  // namespace

std::unique_ptr<Panel> make_camera_panel() {
  return std::make_unique<CameraPanel>();
}

}  // namespace mote::gui
