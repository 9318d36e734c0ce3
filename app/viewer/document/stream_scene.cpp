#include "app/viewer/document/stream_scene.h"

namespace mote {

ModelSource::Copy StreamScene::copy() const {
  auto host = std::make_unique<HostStreamedSplats>(host_);
  const MovingEdit now = edit();
  if (changes_splats(now)) {
    host->set_part_edit([now](SplatCloud& part) { edit_in_place(part, now); });
  }
  return {.model = std::move(host)};
}

MovingEdit StreamScene::edit() const {
  const std::scoped_lock lock(mutex_);
  return edits_.now();
}

void StreamScene::change(const std::function<void(MovingEdits&)>& change) {
  const std::scoped_lock lock(mutex_);
  change(edits_);
}

EditState StreamScene::state() const {
  const std::scoped_lock lock(mutex_);
  EditState state = edits_.state(static_cast<std::size_t>(host_.count()));
  state.times = host_.times();
  return state;
}

}  // namespace mote
