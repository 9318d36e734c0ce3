#include "app/viewer/movement/scenes_in_time.h"

#include <algorithm>
#include <chrono>

namespace mote {

ScenesInTime::ScenesInTime(const Session& session, std::shared_ptr<const ComposedScene> shown)
    : shown_(std::move(shown)), clock_(session.clock) {
  for (const Document& document : session.documents.list()) {
    if (!document.shown || !may_have_model(document)) continue;
    Part part{.document = document.id,
              .still = StillModel{document.scene, document.field, document.stream}.source(),
              .movement = document.movement,
              .edit = {},
              .extent = document.extent,
              .trained = document.training,
              .moment = {}};
    if (document.movement) part.edit = document.movement->edits.now();
    moves_ |= document.movement != nullptr;
    parts_.push_back(std::move(part));
    scene_.parts.emplace_back();
    scene_.places.push_back(document.transform);
  }
}

void ScenesInTime::await_run(const std::function<void()>& look_up) {
  if (!run_.valid()) return;
  constexpr auto kPause = std::chrono::milliseconds(10);
  while (run_.wait_for(kPause) != std::future_status::ready) look_up();
  for (Part& part : parts_) {
    if (part.trained) part.still = run_.get().model.source();
  }
}

void ScenesInTime::provide(std::size_t i, double time_s, DeviceTurns& device) {
  const Part& part = parts_[i];
  scene_.parts[i] = {};
  if (part.movement) {
    auto splats = std::make_shared<const SplatCloud>(part.movement->scene->splats_at(time_s));
    const MomentSource moment(std::move(splats), part.edit);
    scene_.parts[i] = uploaded(*moment.copy().model, part.extent, device);
    return;
  }
  if (shown_) {
    const auto& items = shown_->combination.items;
    const auto found = std::ranges::find(items, part.document, &Combination::Item::document);
    if (found != items.end()) {
      scene_.parts[i] = shown_->parts[static_cast<std::size_t>(found - items.begin())];
      return;
    }
  }
  scene_.parts[i] = uploaded(*part.still->copy().model, part.extent, device);
}

Drawable* ScenesInTime::at(double time_s, DeviceTurns& device) {
  if (!moves_ && shown_) return shown_->model.get();
  const double shown_s = clock_.shown_at(time_s);
  bool changed = false;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    const std::uint64_t moment = part.movement ? part.movement->scene->moment_at(shown_s) : 0;
    if (part.moment == moment) continue;
    part.moment.reset();
    scene_.model.reset();
    provide(i, shown_s, device);
    part.moment = moment;
    changed = true;
  }
  if (changed) assemble(scene_, device);
  return scene_.model.get();
}

}  // namespace mote
