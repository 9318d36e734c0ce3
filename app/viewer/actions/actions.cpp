// The table of actions, from the lists of the files of this folder.
#include "app/viewer/actions/action_lists.h"

namespace mote {

const std::vector<Action>& actions() {
  static const std::vector<Action> kActions = [] {
    std::vector<Action> all;
    for (const auto& list :
         {scene_actions(),        placement_actions(),     color_and_export_actions(),
          mesh_actions(),         project_actions(),       camera_actions(),
          camera_place_actions(), standard_view_actions(), photograph_actions(),
          view_actions(),         picking_actions(),       selection_actions(),
          edit_actions(),         division_actions(),      box_actions(),
          transform_actions(),    train_actions(),         time_actions(),
          path_actions(),         path_file_actions(),     benchmark_actions(),
          program_actions(),      import_actions(),        window_actions()}) {
      all.insert(all.end(), list.begin(), list.end());
    }
    return all;
  }();
  return kActions;
}

}  // namespace mote
