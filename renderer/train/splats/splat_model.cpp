#include "train/splats/splat_model.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "core/spelling.h"
#include "io/splats/scene_format.h"
#include "model/still_splats.h"
#include "splats/deformation.h"
#include "splats/extent.h"

namespace mote {

SplatsInTraining::SplatsInTraining(std::unique_ptr<SplatTrainer> trainer, bool antialiased,
                                   const SceneExtent& extent, const TimeRange& range)
    : trainer_(std::move(trainer)), antialiased_(antialiased), extent_(extent), range_(range) {}

FrameStats SplatsInTraining::render(const View& view, const RenderSettings& settings,
                                    Frame& frame) {
  RenderSettings trained = settings;
  trained.antialiased = antialiased_;
  return trainer_->render(view, trained, frame);
}

PhotoStepResult SplatsInTraining::differentiate(const LearnRequest& request) {
  StepResult result;
  trainer_->gradients(photo_request(request), result);
  return result;
}

std::string SplatsInTraining::description() const {
  return number_of(trainer_->count(), "splat") + " in training";
}

std::uint64_t HostSplats::memory_bytes() const {
  const std::size_t parameters =
      cloud_.deformation != nullptr ? cloud_.deformation->parameters.size() : 0;
  return cloud_.memory_bytes() + parameters * sizeof(float);
}

SceneExtent HostSplats::extent() const {
  return cloud_.deformation != nullptr ? scene_extent(deformed(cloud_, 0)) : scene_extent(cloud_);
}

std::vector<std::string> HostSplats::write(const std::filesystem::path& path) const {
  return save_scene(cloud_, path);
}

View HostSplats::closeup(const SceneExtent& extent, const OrbitOptions& orbit) const {
  return cloud_.deformation != nullptr ? closeup_view(deformed(cloud_, 0), extent, orbit)
                                       : closeup_view(cloud_, extent, orbit);
}

void HostSplats::add_samples(SceneSamples& samples, const Similarity& world_from_model) const {
  if (cloud_.deformation != nullptr) {
    samples.add(deformed(cloud_, 0), world_from_model);
  } else {
    samples.add(cloud_, world_from_model);
  }
}

std::unique_ptr<Drawable> HostSplats::upload(Backend& backend, const SceneExtent& extent) {
  return std::make_unique<StillSplats>(backend, take_splats(), extent);
}

std::unique_ptr<Differentiable> HostSplats::upload_for_gradients(Backend& backend,
                                                                 const SceneExtent& extent,
                                                                 bool antialiased) {
  if (cloud_.decoder != nullptr) {
    throw Error("have features, whose colours a network makes, and no gradients", "the splats",
                "use a scene with harmonics");
  }
  const TimeRange range = time_range();
  return std::make_unique<SplatsInTraining>(
      backend.make_trainer(take_splats(), {.antialiased = antialiased}), antialiased, extent,
      range);
}

SplatCloud HostSplats::take_splats() {
  return std::exchange(cloud_, {});
}

StepRequest photo_request(const LearnRequest& request) {
  StepRequest result;
  result.camera = request.view.camera;
  result.time_s = request.view.time_s;
  result.photo = request.photo;
  result.next_photo = request.next_photo;
  result.background = request.background;
  result.exposure = request.exposure;
  result.pose_gradient = request.pose_gradient;
  result.time_gradient = request.time_gradient;
  result.loss.ssim_weight = request.ssim_weight;
  result.sh_degree = request.detail.value_or(kMaxShDegree);
  return result;
}

}  // namespace mote
