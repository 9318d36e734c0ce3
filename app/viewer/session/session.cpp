#include "app/viewer/session/session.h"

#include <algorithm>
#include <system_error>

#include "app/jobs/inputs.h"

namespace mote {

namespace fs = std::filesystem;

Session::Session(ViewerSetup chosen)
    : device_name(std::move(chosen.device)),
      version(std::move(chosen.version)),
      seed(chosen.seed),
      panels(std::move(chosen.panels)),
      file(std::move(chosen.settings_folder)),
      device(std::move(chosen.backend)),
      composer(device),
      renderer(device),
      trainer(device) {
  loader.set_splat_memory(chosen.splat_memory_gb);
}

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

NamedFile named_file(const Session& session, const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {path, session.existing};
  return {path, named_output(path, session.existing == Existing::replace, files_in_use(session))};
}

InputFiles files_in_use(const Session& session) {
  InputFiles files;
  for (const CameraSet& set : session.cameras) {
    if (set.data) add_photographs(set.data->dataset, files);
  }
  for (const Document& document : session.documents.list()) {
    if (document.movement) add_scene(document.source, files);
  }
  return files;
}

}  // namespace mote
