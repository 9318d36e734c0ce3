#pragma once

#include <memory>

#include "app/gui/panel.h"

namespace mote::gui {

// Each is in a file of its own in this folder; the table is in panels.cpp.
std::unique_ptr<Panel> make_benchmark_panel();
std::unique_ptr<Panel> make_camera_panel();
std::unique_ptr<Panel> make_curves_panel();
std::unique_ptr<Panel> make_edit_panel();
std::unique_ptr<Panel> make_import_panel();
std::unique_ptr<Panel> make_log_panel();
std::unique_ptr<Panel> make_path_panel();
std::unique_ptr<Panel> make_photographs_panel();
std::unique_ptr<Panel> make_scenes_panel();
std::unique_ptr<Panel> make_settings_panel();
std::unique_ptr<Panel> make_train_panel();
std::unique_ptr<Panel> make_view_panel();

}  // namespace mote::gui
