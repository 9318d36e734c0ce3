#include "app/viewer/session/session.h"

#include <algorithm>

namespace mote {

Session::Session(ViewerSetup chosen)
    : device_name(std::move(chosen.device)),
      version(std::move(chosen.version)),
      seed(chosen.seed),
      panels(std::move(chosen.panels)),
      file(std::move(chosen.settings_folder)),
      device(std::move(chosen.backend)),
      composer(device),
      renderer(device),
      trainer(device) {}

const CameraSet* Session::find_cameras(std::uint32_t id) const {
  const auto found = std::find_if(cameras.begin(), cameras.end(),
                                  [id](const CameraSet& set) { return set.id == id; });
  return found == cameras.end() ? nullptr : &*found;
}

void Session::let_go(std::shared_ptr<const void> scene) {
  if (!scene) return;
  // Moved, not copied, so that the job holds the last reference.
  tasks.add(
      [scene = std::move(scene)]() mutable {
        scene.reset();
        return TaskWorker::Reply();
      },
      false);
}

}  // namespace mote
