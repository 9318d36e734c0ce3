// The settings panel: settings that are kept between sessions.
#include <imgui.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "app/gui/fields.h"
#include "app/gui/icons.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets.h"

namespace mote::gui {
namespace {

constexpr std::string_view kLook[] = {"theme", "font-size", "rail-labels", "panel-width",
                                      "drawer-height"};
constexpr std::string_view kCamera[] = {"field-of-view", "up", "smoothing"};
constexpr std::string_view kRendering[] = {"target-fps", "antialiased",   "precision",
                                           "field-step", "surface-color", "background"};
constexpr std::string_view kGizmos[] = {"gizmo-frame", "move-step", "rotate-step", "scale-step"};
constexpr std::string_view kTraining[] = {"view-share"};
constexpr std::string_view kComparing[] = {"error-metric", "difference-gain", "flicker-interval"};
/// The window stores its own size, and the panel View has the display options.
constexpr std::string_view kShownElsewhere[] = {
    "width",       "height",         "grid",     "axis-cross",
    "legend",      "pixel-values",   "frusta",   "frustum-photographs",
    "camera-path", "statistics",     "exposure", "tone",
    "backdrop",    "backdrop-color", "upscale"};

bool holds(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Settings without a heading in this panel.
std::vector<std::string_view> others(const OptionTable& table) {
  std::vector<std::string_view> names;
  for (const Option& option : table.options()) {
    const std::string_view name = option.name;
    const bool known = holds(kLook, name) || holds(kCamera, name) || holds(kRendering, name) ||
                       holds(kTraining, name) || holds(kGizmos, name) || holds(kComparing, name) ||
                       holds(kShownElsewhere, name);
    if (!known) names.push_back(name);
  }
  return names;
}

class SettingsPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    if (section(context, "Look")) setting_rows(context, kLook);
    if (section(context, "Camera")) setting_rows(context, kCamera);
    if (section(context, "Rendering")) setting_rows(context, kRendering);
    if (section(context, "Gizmos")) setting_rows(context, kGizmos);
    if (section(context, "Training")) setting_rows(context, kTraining);
    if (section(context, "Comparing")) setting_rows(context, kComparing);
    ViewerSettings settings;
    OptionTable table;
    settings.describe(table);
    const std::vector<std::string_view> rest = others(table);
    if (!rest.empty() && section(context, "Others")) setting_rows(context, rest);
    ImGui::Spacing();
    wide_action_button(context, icon_label(icons::kUndo, "Restore defaults"), "set defaults");
  }
};

}  // namespace

std::unique_ptr<Panel> make_settings_panel() {
  return std::make_unique<SettingsPanel>();
}

}  // namespace mote::gui
