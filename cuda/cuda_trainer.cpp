// Training on the device. One step is: project, bin, sort, blend, loss, backward blend, update. The
// host enqueues a whole step and then waits for its results. Every sum is taken in an order that
// does not depend on scheduling, so that the same step gives the same bits.

#include "cuda/cuda_trainer.h"

#include <algorithm>
#include <type_traits>

#include "core/error.h"
#include "cuda/adc_change.h"
#include "cuda/cuda_scene.h"
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
  CudaTrainer(const SplatCloud& cloud, const TrainerSettings& settings, cudaStream_t stream);

  SplatKind kind() const override { return state_.kind(); }
  std::size_t count() const override { return state_.count(); }
  StepResult step(const StepRequest& request) override;
  SplatCloud gradients(const StepRequest& request, StepResult& result) override;
  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override {
    const PlacedSplats placed{.splats = state_.splats(), .time_s = view.time_s};
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
  void save(ByteSink& sink) const override { state_.snapshot().save(sink); }
  void restore(ByteSource& source) override;
  std::size_t memory_bytes() const override {
    return state_.memory_bytes() + adc_.memory_bytes() + mcmc_.memory_bytes() +
           lists_.memory_bytes() + image_.memory_bytes() + broken_.bytes() + pose_partials_.bytes();
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
      return growth_remedy(
          memory_estimate({.use = MemoryUse::growth, .splat = state_.form()}, memory_bytes()));
    });
  }
  MemoryRequest training_memory(SplatForm splat) const {
    return {.splat = splat, .backward = settings_.backward};
  }
  /// The remedy, with the size that fits, if the step does not.
  std::string step_remedy(const Camera& camera) const;

  RenderSettings view_settings(const StepRequest& request) const;
  /// Enqueues the step and waits for it. Repeats it if there was too little memory for its pairs.
  void run(const StepRequest& request, GradientTarget gradients, StepResult& result);
  void enqueue(const StepRequest& request, GradientTarget gradients);
  UpdateArgs update_args(const StepRequest& request, GradientTarget gradients);
  void finish(const StepRequest& request, StepResult& result);
  void list_broken(StepResult& result);

  TrainerSettings settings_;
  cudaStream_t stream_;
  DeviceTrainState state_;
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
}

StepResult CudaTrainer::step(const StepRequest& request) {
  CHECK(request.step == state_.steps() + 1);
  StepResult result;
  run(request, {}, result);
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

void CudaTrainer::enqueue(const StepRequest& request, GradientTarget gradients) {
  const PlacedSplats placed{.splats = state_.splats(), .time_s = request.time_s};
  const ListWork lists = lists_.work({&placed, 1}, view_settings(request));
  stages_[kBegin].record(stream_);
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

  const auto count = static_cast<unsigned>(this->count());
  broken_.resize_discard(count);
  broken_count_.fill_bytes(0, stream_);
  const unsigned warps = update_warps(count);
  const auto sums = static_cast<unsigned>(pose_sums(state_.form().motion));
  pose_partials_.resize_discard(needs_pose(request) ? std::size_t{warps} * sums : 0);
  run_update(update_args(request, gradients), std::clamp(request.sh_degree, 0, state_.sh_degree()),
             settings_.antialiased, stream_);
  if (needs_pose(request)) {
    run_column_sums(lists_.device_counters(), pose_partials_.data(), warps, sums, pose_.data(),
                    stream_);
    pose_.download(host_pose_.span(), stream_);
  }
  stages_[kUpdated].record(stream_);
  broken_count_.download(host_broken_count_.span(), stream_);
  lists_.enqueue_counters();
}

UpdateArgs CudaTrainer::update_args(const StepRequest& request, GradientTarget gradients) {
  const RegularizerGradient regularizers = regularizer_gradient(request.loss, kind(), count());
  UpdateArgs args{.frame = lists_.params(),
                  .kind = state_.kind(),
                  .motion = state_.form().motion,
                  .state = state_.view(),
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
}

}  // namespace

std::unique_ptr<SplatTrainer> make_cuda_trainer(const SplatCloud& cloud,
                                                const TrainerSettings& settings,
                                                cudaStream_t stream) {
  check_trainable(cloud);
  if (cloud.deformation != nullptr) {
    throw Error("CUDA devices train no deformation fields", "--motion field",
                "give --device cpu, or another motion");
  }
  return with_remedy(
      [&]() -> std::unique_ptr<SplatTrainer> {
        return std::make_unique<CudaTrainer>(cloud, settings, stream);
      },
      [&] {
        return start_remedy(
            memory_estimate({.splat = cloud.form(), .backward = settings.backward}));
      });
}

}  // namespace mote::cuda
