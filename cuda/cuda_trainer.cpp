// Training on the device. One step is: project, bin, sort, blend, loss, backward blend, update. The
// host enqueues a whole step and then waits for its results. Every sum is taken in an order that
// does not depend on scheduling, so that the same step gives the same bits.

#include "cuda/cuda_trainer.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "core/error.h"
#include "cuda/adc_change.h"
#include "cuda/cuda_deformation.h"
#include "cuda/cuda_scene.h"
#include "cuda/fields/free_memory.h"
#include "cuda/frame_renderer.h"
#include "cuda/kernels/column_sums.h"
#include "cuda/kernels/noise.h"
#include "cuda/mcmc_change.h"
#include "cuda/memory_estimate.h"
#include "cuda/train_state.h"
#include "cuda/training_image.h"

namespace mote::cuda {
namespace {

/// Whether the step has gradients of its view.
bool needs_pose(const StepRequest& request) {
  return request.pose_gradient || request.time_gradient;
}

class CudaTrainer : public SplatTrainer {
 public:
  /// The field of the cloud, if it has one, moves the splats.
  CudaTrainer(const SplatCloud& cloud, const TrainerSettings& settings, cudaStream_t stream);

  SplatKind kind() const override { return state_.kind(); }
  std::size_t count() const override { return state_.count(); }
  StepResult step(const StepRequest& request) override;
  SplatCloud gradients(const StepRequest& request, StepResult& result) override;
  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override {
    PlacedSplats placed{.splats = state_.splats(), .time_s = view.time_s};
    if (deformation_) placed.splats.geometry = enqueue_move(view.time_s);
    return renderer_.render({&placed, 1}, view.camera, settings, frame);
  }
  DensityStatistics statistics() const override { return state_.statistics(); }
  void clear_statistics() override { state_.clear_statistics(); }
  std::vector<SplatGeometry> geometry() const override { return state_.geometry(); }
  std::vector<MotionValues> motions() const override { return state_.motions(); }
  void edit(const DensityEdit& edit) override {
    changing([&] { state_.edit(edit); });
  }
  AdcOutcome change(const AdcRules& rules, std::span<const std::uint32_t> broken,
                    std::uint64_t seed) override {
    return changing([&] { return adc_.apply(rules, broken, seed, state_); });
  }
  McmcOutcome change(const McmcRules& rules, std::span<const std::uint32_t> broken,
                     std::uint64_t seed) override {
    return changing([&] { return mcmc_.apply(rules, broken, seed, state_); });
  }
  void reorder() override {
    changing([&] { state_.reorder(); });
  }
  void limit_opacity(float most) override { state_.limit_opacity(most); }
  SplatCloud cloud() override;
  void save(ByteSink& sink) const override {
    state_.snapshot().save(sink);
    if (deformation_) deformation_->save(sink);
  }
  void restore(ByteSource& source) override;
  std::size_t memory_bytes() const override {
    const std::size_t of_field = deformation_ ? deformation_->memory_bytes() : 0;
    return state_.memory_bytes() + adc_.memory_bytes() + mcmc_.memory_bytes() +
           lists_.memory_bytes() + image_.memory_bytes() + broken_.bytes() +
           pose_partials_.bytes() + of_field;
  }

 private:
  enum Stage { kBegin, kProjected, kBlended, kCompared, kBackward, kUpdated, kStages };

  /// Destination of gradients instead of Adam.
  struct GradientTarget {
    float *geometry = nullptr, *sh = nullptr;
  };

  /// Runs the work. If a change of the splats has too little memory, the error says what would fit.
  template <class Work>
  std::invoke_result_t<const Work&> changing(const Work& work) {
    return with_remedy(work, [&] {
      return growth_remedy(memory_estimate(training_memory(state_.form()), memory_bytes()));
    });
  }
  MemoryRequest training_memory(SplatForm splat) const {
    return {.splat = splat, .backward = settings_.backward, .deformation = config_};
  }
  /// The remedy, with the size that fits, if the step does not.
  std::string step_remedy(const Camera& camera) const;

  bool is_deformed(const StepRequest& request) const {
    return deformation_ && request.deformation.is_active;
  }
  /// The geometry of the splats where the field moves them at a time.
  const float* enqueue_move(double time_s) {
    return deformation_->enqueue_move(state_.splats().geometry, count(),
                                      time_share(state_.times(), time_s));
  }
  /// The splats as the step shows them.
  PlacedSplats shown(const StepRequest& request);
  RenderSettings view_settings(const StepRequest& request) const;
  /// Enqueues the step and waits for it. Repeats it if there was too little memory for its pairs.
  void run(const StepRequest& request, GradientTarget gradients, StepResult& result);
  void enqueue(const StepRequest& request, GradientTarget gradients);
  void enqueue_update(const StepRequest& request, const UpdateArgs& args);
  /// The gradient by the splats that are shown goes through the field. Returns that by the means.
  const float* enqueue_field_gradients(const StepRequest& request, const float* moved);
  UpdateArgs update_args(const StepRequest& request, GradientTarget gradients, const float* shown);
  void finish(const StepRequest& request, StepResult& result);
  void list_broken(StepResult& result);

  TrainerSettings settings_;
  cudaStream_t stream_;
  DeviceTrainState state_;
  std::optional<DeformationConfig> config_;  // of the field
  std::optional<CudaDeformation> deformation_;
  AdcChange adc_;
  McmcChange mcmc_;
  TileLists lists_;
  TrainingImage image_;
  FrameRenderer renderer_;
  DeviceBuffer<unsigned> broken_{"splats with broken gradients"}, broken_count_{"a count"};
  PinnedBuffer<unsigned> host_broken_count_{"a count"};
  DeviceBuffer<float> pose_partials_{"the camera's gradient"};
  DeviceBuffer<double> pose_{"the camera's gradient"};
  PinnedBuffer<double> host_pose_{"the camera's gradient"};
  DeviceBuffer<double> share_{"the gradient of a time"};
  PinnedBuffer<double> host_share_{"the gradient of a time"};
  Event stages_[kStages];
};

CudaTrainer::CudaTrainer(const SplatCloud& cloud, const TrainerSettings& settings,
                         cudaStream_t stream)
    : settings_(settings),
      stream_(stream),
      state_(cloud, stream),
      adc_(stream),
      mcmc_(stream),
      lists_(stream, true),
      image_(stream, settings.backward),
      renderer_(stream),
      stages_{Event(EventUse::timing), Event(EventUse::timing), Event(EventUse::timing),
              Event(EventUse::timing), Event(EventUse::timing), Event(EventUse::timing)} {
  broken_count_.resize_discard(1);
  host_broken_count_.resize_discard(1);
  pose_.resize_discard(kMovingPoseSums);
  host_pose_.resize_discard(kMovingPoseSums);
  if (cloud.deformation == nullptr) return;
  config_ = cloud.deformation->config;
  deformation_.emplace(*cloud.deformation, stream_);
  state_.limit_count(CudaDeformation::most_splats());
  share_.resize_discard(1);
  host_share_.resize_discard(1);
}

StepResult CudaTrainer::step(const StepRequest& request) {
  CHECK(request.step == state_.steps() + 1);
  StepResult result;
  run(request, {}, result);
  if (is_deformed(request)) deformation_->enqueue_step(request.deformation);
  if (request.noise > 0) {
    run_noise({.kind = state_.kind(),
               .motion = state_.form().motion,
               .time_s = static_cast<float>(request.time_s),
               .geometry = state_.view().geometry,
               .scale = request.noise,
               .seed = request.noise_seed,
               .count = static_cast<unsigned>(count())},
              stream_);
  }
  state_.finish_step(request.rates);
  return result;
}

SplatCloud CudaTrainer::gradients(const StepRequest& request, StepResult& result) {
  SplatCloud gradients(count(), state_.form());
  const std::size_t blocks = gradients.block_count();
  DeviceBuffer<float> geometry("gradients"), sh("gradients");
  geometry.resize_discard(blocks * gradients.geometry_stride());
  sh.resize_discard(blocks * gradients.sh_stride());
  geometry.fill_bytes(0, stream_);
  sh.fill_bytes(0, stream_);
  run(request, {geometry.data(), sh.data()}, result);
  geometry.download({gradients.geometry_block(0), geometry.size()}, stream_);
  sh.download({gradients.sh_block(0), sh.size()}, stream_);
  check(cudaStreamSynchronize(stream_), "copying gradients");
  return gradients;
}

RenderSettings CudaTrainer::view_settings(const StepRequest& request) const {
  RenderSettings settings;
  settings.background = request.background;
  settings.antialiased = settings_.antialiased;
  settings.max_sh_degree = request.sh_degree;
  return settings;
}

void CudaTrainer::run(const StepRequest& request, GradientTarget gradients, StepResult& result) {
  check_camera(request.camera);
  with_remedy(
      [&] {
        const PlacedSplats placed{.splats = state_.splats(), .time_s = request.time_s};
        lists_.prepare({&placed, 1}, request.camera, view_settings(request));
        image_.enqueue_photo(request, kind());
        do {
          enqueue(request, gradients);
          image_.stage(request.next_photo);  // while the device runs the step
          check(cudaStreamSynchronize(stream_), "a training step");
        } while (!lists_.fits());
      },
      [&] { return step_remedy(request.camera); });
  finish(request, result);
}

std::string CudaTrainer::step_remedy(const Camera& camera) const {
  return mote::step_remedy({.splats = count(),
                            .width = camera.width,
                            .height = camera.height,
                            .pairs = lists_.counters().pairs,
                            .slots = lists_.counters().slots},
                           memory_estimate(training_memory(state_.form()), memory_bytes()),
                           settings_.backward);
}

PlacedSplats CudaTrainer::shown(const StepRequest& request) {
  PlacedSplats placed{.splats = state_.splats(), .time_s = request.time_s};
  if (is_deformed(request)) placed.splats.geometry = enqueue_move(request.time_s);
  return placed;
}

void CudaTrainer::enqueue(const StepRequest& request, GradientTarget gradients) {
  stages_[kBegin].record(stream_);
  const PlacedSplats placed = shown(request);
  const ListWork lists = lists_.work({&placed, 1}, view_settings(request));
  lists_.enqueue_projection(lists);
  lists_.enqueue_filing(lists);
  lists_.enqueue_sorting(lists);
  stages_[kProjected].record(stream_);
  image_.enqueue_blend(lists_);
  stages_[kBlended].record(stream_);
  image_.enqueue_loss(request, lists_);
  stages_[kCompared].record(stream_);
  image_.enqueue_backward(lists_, settings_.absolute_gradients);
  stages_[kBackward].record(stream_);

  const unsigned warps = update_warps(static_cast<unsigned>(count()));
  const auto sums = static_cast<unsigned>(pose_sums(state_.form().motion));
  pose_partials_.resize_discard(needs_pose(request) ? std::size_t{warps} * sums : 0);
  broken_.resize_discard(count());
  const float* const geometry = placed.splats.geometry;
  const float* const through_field =
      is_deformed(request) ? enqueue_field_gradients(request, geometry) : nullptr;
  UpdateArgs args = update_args(request, gradients, geometry);
  args.added_means = through_field;
  enqueue_update(request, args);
  if (needs_pose(request)) {
    run_column_sums(lists_.device_counters(), pose_partials_.data(), warps, sums, pose_.data(),
                    stream_);
    pose_.download(host_pose_.span(), stream_);
  }
  stages_[kUpdated].record(stream_);
  broken_count_.download(host_broken_count_.span(), stream_);
  lists_.enqueue_counters();
}

void CudaTrainer::enqueue_update(const StepRequest& request, const UpdateArgs& args) {
  broken_count_.fill_bytes(0, stream_);
  run_update(args, std::clamp(request.sh_degree, 0, state_.sh_degree()), settings_.antialiased,
             stream_);
}

const float* CudaTrainer::enqueue_field_gradients(const StepRequest& request, const float* moved) {
  UpdateArgs args =
      update_args(request, {.geometry = deformation_->enqueue_zero_gradient()}, moved);
  args.pose_partials = nullptr;
  enqueue_update(request, args);
  const float* const d_means = deformation_->enqueue_gradients();
  if (request.time_gradient) {
    deformation_->enqueue_share_gradient(lists_.device_counters(), share_.data());
    share_.download(host_share_.span(), stream_);
  }
  return d_means;
}

UpdateArgs CudaTrainer::update_args(const StepRequest& request, GradientTarget gradients,
                                    const float* shown) {
  const RegularizerGradient regularizers = regularizer_gradient(request.loss, kind(), count());
  UpdateArgs args{.frame = lists_.params(),
                  .kind = state_.kind(),
                  .motion = state_.form().motion,
                  .state = state_.view(),
                  .shown = shown,
                  .added_means = nullptr,
                  .count = static_cast<unsigned>(count()),
                  .records = lists_.records(),
                  .rects = lists_.rects(),
                  .first_slots = lists_.first_slots(),
                  .slots = image_.slots(),
                  .absolute = settings_.absolute_gradients,
                  .opacity_weight = regularizers.opacity,
                  .scale_weight = regularizers.scale,
                  .step = static_cast<unsigned>(request.step),
                  .inverse_root = adam_step_at(request.step, 1).inverse_root,
                  .rates = {},
                  .velocity_life_s = request.rates.velocity_life_s,
                  .gradient_geometry = gradients.geometry,
                  .gradient_sh = gradients.sh,
                  .broken = broken_.data(),
                  .broken_count = broken_count_.data(),
                  .pose_partials = needs_pose(request) ? pose_partials_.data() : nullptr,
                  .counters = lists_.device_counters()};
  const auto rates = state_.rates(request.rates);
  std::copy(rates.begin(), rates.end(), args.rates);
  return args;
}

void CudaTrainer::finish(const StepRequest& request, StepResult& result) {
  image_.finish(request, result);
  for (int axis = 0; axis < 3 && request.pose_gradient; ++axis) {
    result.d_pose_rotation[axis] = host_pose_.data()[axis];
    result.d_pose_translation[axis] = host_pose_.data()[3 + axis];
  }
  const bool has_time = depends_on_time(state_.form().motion);
  if (request.time_gradient && has_time) result.d_time = host_pose_.data()[kPoseSums];
  const double duration_s = state_.times().duration_s;
  if (request.time_gradient && is_deformed(request) && duration_s > 0) {
    result.d_time += *host_share_.data() / duration_s;
  }
  result.visible = lists_.counters().visible;
  result.pairs = lists_.counters().pairs;
  result.evaluations = lists_.counters().evaluations;
  if (*host_broken_count_.data() > 0) list_broken(result);
  const auto between = [&](Stage from, Stage to) {
    return static_cast<double>(stages_[to].elapsed_ms(stages_[from]));
  };
  result.project_ms = between(kBegin, kProjected);
  result.forward_ms = between(kProjected, kBlended);
  result.loss_ms = between(kBlended, kCompared);
  result.backward_ms = between(kCompared, kBackward);
  result.update_ms = between(kBackward, kUpdated);
  result.total_ms = between(kBegin, kUpdated);
}

void CudaTrainer::list_broken(StepResult& result) {
  result.broken.resize(*host_broken_count_.data());
  broken_.download(std::span(result.broken), stream_);
  check(cudaStreamSynchronize(stream_), "copying gradients");
  std::ranges::sort(result.broken);
  result.non_finite = result.broken.size();
}

SplatCloud CudaTrainer::cloud() {
  SplatCloud cloud = state_.cloud();
  cloud.antialiased = settings_.antialiased;
  if (deformation_) {
    cloud.deformation = std::make_shared<const DeformationField>(deformation_->field());
  }
  return cloud;
}

void CudaTrainer::restore(ByteSource& source) {
  TrainSnapshot all(state_.empty_cloud());
  all.restore(source);
  with_remedy(
      [&] { state_.restore(all); },
      [&] {
        return start_remedy(memory_estimate(training_memory(all.splats.form()), memory_bytes()));
      });
  if (deformation_) deformation_->restore(source);
}

}  // namespace

std::unique_ptr<SplatTrainer> make_cuda_trainer(const SplatCloud& cloud,
                                                const TrainerSettings& settings,
                                                cudaStream_t stream) {
  check_trainable(cloud);
  MemoryRequest request{.splat = cloud.form(), .backward = settings.backward};
  if (cloud.deformation != nullptr) {
    CHECK(cloud.kind() == SplatKind::gaussian);
    request.deformation = cloud.deformation->config;
    check_free_memory(deformation_bytes(*request.deformation).state, "a deformation field",
                      "lower --plane-resolution or --plane-moments, " + end_other_programs());
  }
  return with_remedy(
      [&]() -> std::unique_ptr<SplatTrainer> {
        return std::make_unique<CudaTrainer>(cloud, settings, stream);
      },
      [&] { return start_remedy(memory_estimate(request)); });
}

}  // namespace mote::cuda
