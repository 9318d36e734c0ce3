#include "model/still_splats.h"
#include "core/spelling.h"
#include "splats/deformation.h"
#include "splats/moment.h"

#include <fmt/format.h>

#include <utility>

namespace mote {

StillSplats::StillSplats(Backend& backend, SplatCloud cloud, const SceneExtent& extent)
    : backend_(backend),
      extent_(extent),
      count_(cloud.count()),
      sh_degree_(cloud.sh_degree()),
      range_(cloud.moves() ? mote::time_range(cloud.times) : TimeRange()) {
  if (cloud.deformation != nullptr) {
    scene_ = backend.upload(moment_of(cloud, 0));
    moment_s_ = 0;
    deformed_ = std::move(cloud);
  } else {
    scene_ = backend.upload(std::move(cloud));
  }
}

void StillSplats::update(std::span<const std::uint32_t> splats, SplatCloud values) {
  if (!deformed_) {
    backend_.update(*scene_, splats, std::move(values));
    return;
  }
  for (std::size_t i = 0; i < splats.size(); ++i) copy_splat(values, i, *deformed_, splats[i]);
  moment_s_.reset();
}

void StillSplats::mark(const SplatMask& marked) {
  if (deformed_) marked_ = marked;
  backend_.mark(*scene_, marked);
}

FrameStats StillSplats::render(const View& view, const RenderSettings& settings, Frame& frame) {
  const SceneInstance scene = scene_at(view.time_s, settings.paint);
  return backend_.render_scenes({&scene, 1}, view.camera, settings, frame);
}

std::vector<SceneInstance> StillSplats::scenes_at(double time_s, const MotionPaint& paint) {
  if (scene_->has_features()) return {};
  return {scene_at(time_s, paint)};
}

SceneInstance StillSplats::scene_at(double time_s, const MotionPaint& paint) {
  const double shown_s = shown_s_ = repeated(time_s, range_);
  const bool with_velocities = paint.what == PaintedMotion::velocity;
  if (deformed_ && (moment_s_ != shown_s || has_velocities_ != with_velocities)) {
    scene_ = backend_.upload(with_velocities ? deformed_with_velocities(*deformed_, shown_s)
                                             : moment_of(*deformed_, shown_s));
    moment_s_ = shown_s;
    has_velocities_ = with_velocities;
    if (marked_.size() > 0) backend_.mark(*scene_, marked_);
  }
  return {.scene = scene_.get(), .time_s = shown_s};
}

void StillSplats::add_life_counts(FrameStats& stats) const {
  if (!(range_.end_s > 0)) return;
  stats.needed += scene_->living(shown_s_);
  stats.resident += count_;
  stats.stored += count_;
}

std::string StillSplats::description() const {
  const std::string colors =
      scene_->has_features() ? "features" : fmt::format("SH degree {}", sh_degree_);
  const std::string still = fmt::format("{}, {}", number_of(count_, "splat"), colors);
  return range_.end_s > 0 ? fmt::format("{}, {:.6g} s", still, range_.end_s) : still;
}

}  // namespace mote
