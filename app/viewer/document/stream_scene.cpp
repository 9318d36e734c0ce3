#include "app/viewer/document/stream_scene.h"

namespace mote {

ModelSource::Copy StreamScene::copy() const {
  auto host = std::make_unique<HostStreamedSplats>(host_);
  const MovingEdit now = edit();
  if (changes_splats(now)) {
    host->set_part_edit([now](SplatCloud& part) { edit_in_place(part, now); });
  }
  auto trails = std::make_shared<PartTrails>();
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(trails_, [](const auto& other) { return other.expired(); });
    trails_.push_back(trails);
  }
  host->set_trails(std::move(trails));
  return {.model = std::move(host)};
}

std::shared_ptr<const MotionWays> StreamScene::trails_at(double time_s, double length_s) const {
  std::vector<std::shared_ptr<const PartTrails>> of_copies;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& trails : trails_) of_copies.push_back(trails.lock());
  }
  std::shared_ptr<const MotionWays> most;
  for (const auto& trails : of_copies) {
    if (!trails) continue;
    auto ways = trails->at(time_s, length_s);
    if (most == nullptr || ways->size() > most->size()) most = std::move(ways);
  }
  return most;
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
