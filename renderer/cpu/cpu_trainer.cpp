// Training on the CPU. One step is: project, bin, blend, loss, backward blend, update. The work is
// split into parts of the splats and bins of the image. Their number does not depend on the number
// of threads, and every sum is taken in their order.

#include "cpu/cpu_trainer.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/error.h"
#include "cpu/cpu_deformation.h"
#include "cpu/cpu_renderer.h"
#include "cpu/train_state.h"
#include "cpu/training_image.h"

namespace mote {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kClustersPerPart = 4;  // 1024 splats
constexpr std::size_t kNoiseBlocks = 256;    // blocks per task

/// Time since the last call, ms.
class Lap {
 public:
  double next() {
    const auto now = SteadyClock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

 private:
  SteadyClock::time_point last_ = SteadyClock::now();
};

class CpuTrainer : public SplatTrainer {
 public:
  /// `field`: moves the splats; null: none does.
  CpuTrainer(SplatCloud cloud, const DeformationField* field, const TrainerSettings& settings,
             const CpuKernels& kernels, ThreadPool& pool)
      : settings_(settings),
        kernels_(kernels),
        pool_(pool),
        state_(std::move(cloud), pool),
        image_(std::in_place, kernels, pool),
        renderer_(std::in_place, kernels, pool) {
    if (field != nullptr) deformation_.emplace(*field, kernels, pool);
  }

  SplatKind kind() const override { return state_.splats().kind(); }
  std::size_t count() const override { return state_.splats().count(); }
  StepResult step(const StepRequest& request) override;
  SplatCloud gradients(const StepRequest& request, StepResult& result) override;

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override {
    PlacedBlocks placed{.blocks = blocks(), .time_s = view.time_s};
    if (deformation_) placed.blocks.geometry = moved_to(view.time_s);
    return renderer_->render({&placed, 1}, view.camera, settings, frame);
  }

  DensityStatistics statistics() const override { return state_.statistics(); }
  void clear_statistics() override { state_.clear_statistics(); }
  std::vector<SplatGeometry> geometry() const override { return state_.geometry(); }
  std::vector<MotionValues> motions() const override { return state_.motions(); }
  void edit(const DensityEdit& edit) override {
    release_scratch();
    state_.edit(edit, pool_);
  }
  void reorder() override { state_.reorder(pool_); }
  void limit_opacity(float most) override { state_.limit_opacity(most); }
  SplatCloud cloud() override;
  void save(ByteSink& sink) const override {
    state_.save(sink);
    if (deformation_) deformation_->save(sink);
  }
  void restore(ByteSource& source) override {
    state_.restore(source);
    if (deformation_) deformation_->restore(source);
  }
  bool is_whole() const override { return state_.is_whole(); }
  std::size_t memory_bytes() const override {
    const TrainerMemory held = host_memory();
    return held.splats + held.pixels + held.pairs;
  }
  TrainerMemory host_memory() const override {
    const std::size_t of_field = deformation_ ? deformation_->state_bytes() : 0;
    const std::size_t of_offsets = deformation_ ? deformation_->step_bytes() : 0;
    return {.splats = state_.memory_bytes() + of_field,
            .pixels = image_->pixel_bytes(),
            .pairs = binning_.memory_bytes() + image_->pair_bytes() + of_offsets,
            .view = renderer_->memory_bytes()};
  }

 private:
  /// Frees memory before a second copy of the parameters is made. The peak thus remains that of a
  /// step.
  void release_scratch() {
    binning_ = Binning();
    image_.emplace(kernels_, pool_);
    renderer_.emplace(kernels_, pool_);
    if (deformation_) deformation_->release();
  }
  SplatBlocks blocks() const { return SplatBlocks(state_.splats()); }
  /// The geometry of the splats where the field moves them at a time.
  const float* moved_to(double time_s) {
    return deformation_->move(state_.splats(), time_share(state_.splats().times, time_s));
  }
  bool is_deformed(const StepRequest& request) const {
    return deformation_ && request.deformation.is_active;
  }
  void forward(const StepRequest& request, StepResult& result);
  /// Propagates the gradient to the splats. Writes it to `gradients` if given, otherwise applies
  /// Adam.
  void backward(const StepRequest& request, SplatCloud* gradients, StepResult& result);
  UpdateParams update_params(const StepRequest& request, SplatCloud* gradients);
  /// Runs the update kernel on all parts of the projected splats.
  void update_parts(const UpdateParams& all, const float* sums,
                    const std::vector<std::size_t>& first_broken, std::vector<UpdateResult>& parts);
  void add_noise(const StepRequest& request);

  TrainerSettings settings_;
  const CpuKernels& kernels_;
  ThreadPool& pool_;
  TrainState state_;
  std::optional<CpuDeformation> deformation_;
  Binning binning_;
  std::optional<TrainingImage> image_;
  std::optional<CpuRenderer> renderer_;
  ProjectParams projection_{};
  Buffer<std::uint32_t> broken_;  // per part, with space for all of its splats
};

StepResult CpuTrainer::step(const StepRequest& request) {
  CHECK(request.step == state_.steps() + 1);
  StepResult result;
  Lap whole;
  forward(request, result);
  backward(request, nullptr, result);
  if (is_deformed(request)) deformation_->step(request.deformation);
  add_noise(request);
  state_.finish_step(request.rates);
  result.total_ms = whole.next();
  return result;
}

SplatCloud CpuTrainer::gradients(const StepRequest& request, StepResult& result) {
  const SplatCloud& splats = state_.splats();
  SplatCloud gradients(splats.count(), splats.form());
  fill_zero(gradients);
  forward(request, result);
  backward(request, &gradients, result);
  return gradients;
}

void CpuTrainer::forward(const StepRequest& request, StepResult& result) {
  check_camera(request.camera);
  CHECK(request.photo != nullptr);
  RenderSettings settings;
  settings.antialiased = settings_.antialiased;
  settings.max_sh_degree = request.sh_degree;
  projection_ = project_params(blocks(), camera_floats(request.camera), request.time_s, settings);
  Lap lap;
  if (is_deformed(request)) projection_.geometry = moved_to(request.time_s);
  const SceneToProject scene{.blocks = {state_.splats().block_count(), {}, kClustersPerPart},
                             .params = projection_};
  binning_.project({&scene, 1}, kernels_, pool_);
  binning_.fill(pool_, true);
  result.project_ms = lap.next();
  image_->blend(binning_, request);
  result.forward_ms = lap.next();
  image_->compare(request, result);
  result.loss_ms = lap.next();
  result.visible = binning_.visible();
  result.pairs = image_->pairs();
  result.evaluations = image_->evaluations();
}

UpdateParams CpuTrainer::update_params(const StepRequest& request, SplatCloud* gradients) {
  UpdateParams params{};
  params.projection = projection_;
  params.state = state_.view();
  params.absolute = settings_.absolute_gradients;
  const RegularizerGradient regularizers = regularizer_gradient(request.loss, kind(), count());
  params.opacity_weight = regularizers.opacity;
  params.scale_weight = regularizers.scale;
  params.step = static_cast<std::uint32_t>(request.step);
  params.inverse_root = adam_step_at(request.step, 1).inverse_root;
  params.pose_gradient = request.pose_gradient;
  params.time_gradient = request.time_gradient;
  const auto rates = state_.rates(request.rates);
  std::copy(rates.begin(), rates.end(), params.rates);
  params.velocity_life_s = request.rates.velocity_life_s;
  if (gradients != nullptr) {
    params.gradient_geometry = gradients->geometry_block(0);
    params.gradient_sh = gradients->sh_block(0);
  }
  return params;
}

void CpuTrainer::update_parts(const UpdateParams& all, const float* sums,
                              const std::vector<std::size_t>& first_broken,
                              std::vector<UpdateResult>& parts) {
  pool_.run(parts.size(), [&](std::size_t i, int) {
    const ProjectedPart part = binning_.part(i);
    UpdateParams params = all;
    params.splats = part.splats.data();
    params.count = part.splats.size();
    params.first_place = static_cast<std::uint32_t>(part.first_block * kBlockSize);
    params.hits = part.hits.data();
    params.hit_count = part.hits.size();
    params.sums = sums + part.first_hit * static_cast<std::size_t>(
                                              kind_info(state_.splats().kind()).padded_sums);
    params.broken = broken_.data() + first_broken[i];
    parts[i] = kernels_.update(params);
  });
}

/// A field gets its gradients from those of the moved splats. So these are found first, and again
/// in the update, which adds the gradients by the means that come back through the field.
void CpuTrainer::backward(const StepRequest& request, SplatCloud* gradients, StepResult& result) {
  Lap lap;
  const float* sums = image_->backward(binning_, settings_.absolute_gradients);
  result.backward_ms = lap.next();
  std::vector<std::size_t> first_broken(binning_.part_count() + 1, 0);  // offsets in broken_
  for (std::size_t i = 0; i < binning_.part_count(); ++i) {
    first_broken[i + 1] = first_broken[i] + binning_.part(i).splats.size();
  }
  broken_.resize_discard(first_broken.back());
  std::vector<UpdateResult> parts(binning_.part_count());
  const float* through_field = nullptr;
  if (is_deformed(request)) {
    UpdateParams of_moved = update_params(request, nullptr);
    of_moved.gradient_geometry = deformation_->begin_gradient();
    update_parts(of_moved, sums, first_broken, parts);
    through_field = deformation_->differentiate();
  }
  // Nothing is allocated from here to the end of the step, since a failure could not be undone.
  if (gradients == nullptr) state_.begin_change();
  UpdateParams all = update_params(request, gradients);
  all.added_means = through_field;
  update_parts(all, sums, first_broken, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      result.d_pose_rotation[axis] += parts[i].d_pose_rotation[axis];
      result.d_pose_translation[axis] += parts[i].d_pose_translation[axis];
    }
    result.d_time += parts[i].d_time;
    const std::uint32_t* broken = broken_.data() + first_broken[i];
    result.broken.insert(result.broken.end(), broken, broken + parts[i].broken);
  }
  const double duration_s = state_.splats().times.duration_s;
  if (is_deformed(request) && request.time_gradient && duration_s > 0) {
    result.d_time += deformation_->d_share() / duration_s;
  }
  result.non_finite = result.broken.size();
  result.update_ms = lap.next();
}

void CpuTrainer::add_noise(const StepRequest& request) {
  if (!(request.noise > 0)) return;
  const NoiseParams params{.kind = state_.splats().kind(),
                           .geometry = state_.view().geometry,
                           .scale = request.noise,
                           .seed = request.noise_seed,
                           .motion = state_.splats().motion(),
                           .time_s = static_cast<float>(request.time_s)};
  const std::size_t blocks = state_.splats().block_count();
  pool_.run((blocks + kNoiseBlocks - 1) / kNoiseBlocks, [&](std::size_t task, int) {
    kernels_.add_noise(params, task * kNoiseBlocks, std::min(blocks, (task + 1) * kNoiseBlocks));
  });
}

SplatCloud CpuTrainer::cloud() {
  release_scratch();
  std::vector<std::uint32_t> all(count());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  SplatCloud copy = reordered(state_.splats(), all);
  if (deformation_) {
    copy.deformation = std::make_shared<const DeformationField>(deformation_->field());
  }
  return copy;
}

}  // namespace

std::unique_ptr<SplatTrainer> make_cpu_trainer(SplatCloud cloud, const TrainerSettings& settings,
                                               const CpuKernels& kernels, ThreadPool& pool) {
  check_trainable(cloud);
  cloud.antialiased = settings.antialiased;
  const std::shared_ptr<const DeformationField> field = std::exchange(cloud.deformation, nullptr);
  CHECK(field == nullptr || cloud.kind() == SplatKind::gaussian);
  return std::make_unique<CpuTrainer>(std::move(cloud), field.get(), settings, kernels, pool);
}

}  // namespace mote
