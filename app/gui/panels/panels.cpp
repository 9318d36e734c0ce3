#include "app/gui/panels/panels.h"

#include "app/gui/icons.h"

namespace mote::gui {
namespace {

constexpr PanelPlace kSide = PanelPlace::side, kDrawer = PanelPlace::drawer;

constexpr PanelRow kPanels[] = {
    {{"scenes", "Scenes", "open scenes: visibility, transform, colours, export", kSide},
     icons::kCubes,
     make_scenes_panel},
    {{"view", "View", "display mode of the splats, and display of the picture", kSide},
     icons::kEye,
     make_view_panel},
    {{"camera", "Camera", "position of the view, and photographs", kSide},
     icons::kCamera,
     make_camera_panel},
    {{"edit", "Edit", "select, crop, delete and undo", kSide}, icons::kPencil, make_edit_panel},
    {{"import", "Import", "make a dataset of photographs without poses, or of a video", kSide},
     icons::kDownload,
     make_import_panel},
    {{"train", "Train", "start and control a training run", kSide},
     icons::kTrain,
     make_train_panel},
    {{"path", "Path", "keyframes of a camera path, and its video", kSide},
     icons::kVideo,
     make_path_panel},
    {{"benchmark", "Benchmark", "frames per second, as mote bench measures them", kSide},
     icons::kGauge,
     make_benchmark_panel},
    {{"settings", "Settings", "settings that are kept between sessions", kSide},
     icons::kGear,
     make_settings_panel},
    {{"photographs", "Photographs", "the photographs of the dataset", kDrawer},
     icons::kPhotograph,
     make_photographs_panel},
    {{"curves", "Curves", "loss, PSNR and splats of the run, and its worst photographs", kDrawer},
     icons::kCurves,
     make_curves_panel},
    {{"log", "Log", "messages of the program, to read and copy", kDrawer},
     icons::kLog,
     make_log_panel},
};

}  // namespace

std::span<const PanelRow> panel_table() {
  return kPanels;
}

std::vector<const PanelEntry*> panel_entries() {
  std::vector<const PanelEntry*> entries;
  for (const PanelRow& row : kPanels) entries.push_back(&row.entry);
  return entries;
}

}  // namespace mote::gui
