// The table of actions. One list per file of this folder.
#include "app/viewer/actions/action_lists.h"

namespace mote {

const std::vector<Action>& actions() {
  static const std::vector<Action> kActions = [] {
    std::vector<Action> all;
    for (const auto& list : {scene_actions(), camera_actions(), view_actions(), edit_actions(),
                             box_actions(), train_actions(), time_actions(), path_actions(),
                             benchmark_actions(), program_actions(), window_actions()}) {
      all.insert(all.end(), list.begin(), list.end());
    }
    return all;
  }();
  return kActions;
}

}  // namespace mote
