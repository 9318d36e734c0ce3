#include "app/gui/panel.h"

#include <algorithm>
#include <iterator>

#include "app/gui/icons.h"
#include "app/gui/panels/panels.h"

namespace mote::gui {
namespace {

struct PanelMaker {
  std::string_view name;  // as in panel_list()
  const char* icon;
  std::unique_ptr<Panel> (*make)();
};

constexpr PanelMaker kMakers[] = {
    {"scenes", icons::kCubes, make_scenes_panel},
    {"view", icons::kEye, make_view_panel},
    {"camera", icons::kCamera, make_camera_panel},
    {"edit", icons::kPencil, make_edit_panel},
    {"settings", icons::kGear, make_settings_panel},
    {"photographs", icons::kPhotograph, make_photographs_panel},
    {"train", icons::kTrain, make_train_panel},
    {"path", icons::kVideo, make_path_panel},
    {"benchmark", icons::kGauge, make_benchmark_panel},
    {"curves", icons::kCurves, make_curves_panel},
    {"log", icons::kLog, make_log_panel},
};

const PanelMaker* maker_of(const PanelEntry& entry) {
  const auto* found =
      std::find_if(std::begin(kMakers), std::end(kMakers),
                   [&](const PanelMaker& maker) { return maker.name == entry.name; });
  return found == std::end(kMakers) ? nullptr : found;
}

}  // namespace

std::unique_ptr<Panel> make_panel(const PanelEntry& entry) {
  const PanelMaker* maker = maker_of(entry);
  return maker == nullptr ? nullptr : maker->make();
}

const char* panel_icon(const PanelEntry& entry) {
  const PanelMaker* maker = maker_of(entry);
  return maker == nullptr ? "" : maker->icon;
}

}  // namespace mote::gui
