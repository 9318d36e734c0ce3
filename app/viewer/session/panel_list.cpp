#include "app/viewer/session/panel_list.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/options.h"
#include "core/spelling.h"

namespace mote {
namespace {

constexpr PanelEntry kPanels[] = {
    {"scenes", "Scenes", "open scenes: visibility, placement, colours, export"},
    {"view", "View", "display mode of the splats, and display of the picture"},
    {"camera", "Camera", "position of the view, and photographs"},
    {"edit", "Edit", "select, crop, delete and undo"},
    {"train", "Train", "start and control a training run"},
    {"path", "Path", "keyframes of a camera path, and its video"},
    {"benchmark", "Benchmark", "frames per second, as mote bench measures them"},
    {"settings", "Settings", "settings that are kept between sessions"},
    {"photographs", "Photographs", "the photographs of the dataset", PanelPlace::drawer},
    {"curves", "Curves", "loss, PSNR and splats of the run, and its worst photographs",
     PanelPlace::drawer},
    {"log", "Log", "messages of the program, to read and copy", PanelPlace::drawer},
};

}  // namespace

std::span<const PanelEntry> panel_list() {
  return kPanels;
}

const PanelEntry& find_panel(std::string_view name) {
  std::vector<std::string> names;
  for (const PanelEntry& panel : kPanels) {
    if (panel.name == name) return panel;
    names.emplace_back(panel.name);
  }
  throw UsageError(fmt::format("'{}' is not a panel", name), "panel",
                   "name one of " + listed(names));
}

}  // namespace mote
