#include "app/viewer/movement/scenes_in_time.h"

#include <chrono>

#include "model/still_splats.h"
#include "splats/extent.h"

namespace mote {

ScenesInTime::ScenesInTime(const Session& session, std::shared_ptr<const ComposedScene> shown)
    : shown_(std::move(shown)), clock_(session.clock) {
  for (const Document& document : session.documents.list()) {
    const bool any = document.scene || document.movement || document.training;
    if (!document.shown || !any) continue;
    Part part{.still = document.scene,
              .movement = document.movement,
              .edit = {},
              .transform = document.transform,
              .trained = document.training};
    if (document.movement) part.edit = document.movement->edits.now();
    moves_ |= document.movement != nullptr;
    parts_.push_back(std::move(part));
  }
}

void ScenesInTime::await_run(const std::function<void()>& look_up) {
  if (!run_.valid()) return;
  constexpr auto kPause = std::chrono::milliseconds(10);
  while (run_.wait_for(kPause) != std::future_status::ready) look_up();
  for (Part& part : parts_) {
    if (part.trained) part.still = run_.get().scene;
  }
}

std::vector<std::uint64_t> ScenesInTime::moments_at(double time_s) const {
  std::vector<std::uint64_t> moments;
  for (const Part& part : parts_) {
    moments.push_back(part.movement ? part.movement->scene->moment_at(time_s) : 0);
  }
  return moments;
}

Drawable* ScenesInTime::at(double time_s, DeviceTurns& device) {
  if (!moves_ && shown_) return shown_->model.get();
  const double shown_s = clock_.shown_at(time_s);
  const std::vector<std::uint64_t> moments = moments_at(shown_s);
  if (moments == moments_) return model_.get();
  std::vector<MergePart> parts;
  for (const Part& part : parts_) {
    std::shared_ptr<const SplatSource> source = part.still;
    if (part.movement) {
      auto splats = std::make_shared<const SplatCloud>(part.movement->scene->splats_at(shown_s));
      source = std::make_shared<MomentSource>(std::move(splats), part.edit);
    }
    parts.push_back({std::move(source), part.transform});
  }
  SplatCloud cloud = merged(parts);
  parts.clear();
  antialiased_ = cloud.antialiased;
  const DeviceTurns::Turn turn(device, DeviceUser::upload);
  model_.reset();
  if (cloud.count() > 0) {
    const SceneExtent extent = scene_extent(cloud);
    model_ = std::make_unique<StillSplats>(turn.backend(), std::move(cloud), extent);
  }
  moments_ = moments;
  return model_.get();
}

}  // namespace mote
