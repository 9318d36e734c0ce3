#pragma once

#include <vector>

#include "app/viewer/session/action.h"

namespace mote {

/// The actions of one subject. Lists of related subjects share a file.
std::vector<Action> scene_actions();
std::vector<Action> project_actions();
std::vector<Action> placement_actions();
std::vector<Action> color_and_export_actions();
std::vector<Action> import_actions();
std::vector<Action> mesh_actions();
std::vector<Action> camera_actions();
std::vector<Action> camera_place_actions();
std::vector<Action> standard_view_actions();
std::vector<Action> photograph_actions();
std::vector<Action> view_actions();
std::vector<Action> picking_actions();
std::vector<Action> selection_actions();
std::vector<Action> edit_actions();
std::vector<Action> division_actions();
std::vector<Action> box_actions();
std::vector<Action> transform_actions();
std::vector<Action> train_actions();
std::vector<Action> path_actions();
std::vector<Action> path_file_actions();
std::vector<Action> time_actions();
std::vector<Action> benchmark_actions();
std::vector<Action> program_actions();
std::vector<Action> window_actions();

}  // namespace mote
