#include "model/moving/moving_splats.h"

#include <fmt/format.h>

#include <utility>

#include "core/spelling.h"
#include "model/learner.h"

namespace mote {

MovingSplats::MovingSplats(Backend& backend, std::unique_ptr<MovingScene> scene, SplatCloud first,
                           double first_s, const SceneExtent& extent)
    : backend_(backend),
      source_(std::move(scene)),
      extent_(extent),
      moment_(source_->moment_at(first_s)),
      scene_(backend.upload(std::move(first))) {}

void MovingSplats::bring(double time_s) {
  const double shown_s = repeated(time_s, source_->range());
  const std::uint64_t moment = source_->moment_at(shown_s);
  if (!scene_ || moment != moment_) {
    SplatCloud cloud = source_->splats_at(shown_s);
    scene_.reset();
    scene_ = backend_.upload(std::move(cloud));
    moment_ = moment;
  }
}

std::vector<SceneInstance> MovingSplats::scenes_at(double time_s, const MotionPaint& /*paint*/) {
  bring(time_s);
  if (scene_->has_features()) return {};
  return {{.scene = scene_.get()}};
}

FrameStats MovingSplats::render(const View& view, const RenderSettings& settings, Frame& frame) {
  bring(view.time_s);
  return backend_.render(*scene_, view.camera, settings, frame);
}

std::string MovingSplats::description() const {
  const std::size_t frames = frame_count(*source_);
  const double end_s = source_->range().end_s;
  return frames == 0
             ? fmt::format("a moving scene of {:.6g} s", end_s)
             : fmt::format("a moving scene of {}, {:.6g} s", number_of(frames, "frame"), end_s);
}

HostMovingSplats::HostMovingSplats(std::unique_ptr<MovingScene> scene,
                                   std::unique_ptr<HostModel> moment, double moment_s)
    : scene_(std::move(scene)), moment_(std::move(moment)), moment_s_(moment_s) {}

View HostMovingSplats::closeup(const SceneExtent& extent, const OrbitOptions& orbit) const {
  View view = moment_->closeup(extent, orbit);
  view.time_s = moment_s_;
  return view;
}

std::vector<std::string> HostMovingSplats::write(const std::filesystem::path& path) const {
  return moment_->write(path);
}

std::unique_ptr<Drawable> HostMovingSplats::upload(Backend& backend, const SceneExtent& extent) {
  return std::make_unique<MovingSplats>(backend, std::move(scene_), moment_->take_splats(),
                                        moment_s_, extent);
}

std::unique_ptr<Differentiable> HostMovingSplats::upload_for_gradients(Backend&, const SceneExtent&,
                                                                       bool) {
  throw Error("has no gradients", "a moving scene", "give one of its frames instead");
}

}  // namespace mote
