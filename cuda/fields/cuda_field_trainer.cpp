// A step is: choose rays, follow them, loss, gradients of both networks and of the grid, update. It
// is one graph, which serves all steps of the same form. Every sum is exact or taken in a fixed
// order, so that the same step gives the same bits. The host has the results of a step before the
// device has its gradients, and starts the next one meanwhile, so that the device does not wait.

#include "cuda/fields/cuda_field_trainer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "backend/photo_latents.h"
#include "backend/slice_drawing.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "core/release.h"
#include "cuda/fields/device_optimizer.h"
#include "cuda/fields/free_memory.h"
#include "cuda/fields/nerf_on_device.h"
#include "cuda/fields/nerf_step.h"
#include "cuda/fields/proposal_training.h"
#include "cuda/fields/ray_painter.h"
#include "cuda/fields/training_bytes.h"
#include "cuda/runtime/recordings.h"
#include "fields/field_march.h"
#include "fields/latents.h"
#include "fields/occupancy_views.h"
#include "fields/training_schedule.h"
#include "math/counter_random.h"

namespace mote::cuda {
namespace {

class CudaFieldTrainer : public NerfOnDevice<FieldTrainer> {
 public:
  CudaFieldTrainer(NeuralField field, const FieldTrainerSettings& settings,
                   std::span<const Camera> cameras, ThreadPool& pool, cudaStream_t stream)
      : NerfOnDevice(field, stream),
        pool_(pool),
        stream_(stream),
        settings_(settings),
        optimizer_(field, form_.layout.encoding_first, training_sums(*field.config.optimizer),
                   stream),
        weights_(form_, true, stream),
        shown_weights_(form_, false, stream),
        proposals_(make_proposals(field, stream)),
        step_(form_, proposals_.get(), pool, stream),
        shown_(form_, false, stream),
        shown_rounds_(stream),
        painter_(pool, stream),
        field_(std::move(field)),
        occupancy_(form_, stream),
        latents_(settings.latent_photographs, form_.layout.latents, settings.latent_seed,
                 field_.latents) {
    if (settings.mapped_photographs > 0) errors_.emplace(settings.mapped_photographs);
    release(field_.parameters);
    for (Pace& pace : paces_) {
      pace.non_finite.resize_discard(1 + (proposals_ ? proposals_->rounds() : 0));
      std::ranges::fill(pace.non_finite.span(), 0u);
    }
    weights_.enqueue(optimizer_.networks());
    if (proposals_) {
      shown_proposed_.emplace(field_, stream);
      for (ProposalRound& round : field_.proposals->rounds) release(round.parameters);
      schedule_.rays =
          proposed_rays(settings.batch, static_cast<std::uint64_t>(field_.proposals->samples));
    } else {
      start_occupancy(field_.placement, cameras, field_.occupancy);
    }
    occupancy_.upload(field_.occupancy);
    release(field_.occupancy.values);
  }
  ~CudaFieldTrainer() override { gpu_.enter_quietly(); }
  CudaFieldTrainer(const CudaFieldTrainer&) = delete;
  CudaFieldTrainer& operator=(const CudaFieldTrainer&) = delete;

  FieldStepResult step(const FieldStepRequest& request) override;
  FrameStats render_parts(const Camera& camera, const RenderSettings& settings,
                          const Dividers& dividers, std::span<Frame> parts) override;
  NeuralField field() override;
  std::size_t parameters() const override {
    return form_.layout.parameters + (proposals_ ? proposals_->parameters() : 0);
  }
  void save(ByteSink& sink) const override;
  void restore(ByteSource& source) override;
  OptimizerStates optimizer_states() const override;
  void restore_optimizers(ByteSource& source) override;
  bool is_whole() const override { return is_whole_; }
  std::size_t state_bytes() const override { return errors_ ? errors_->memory_bytes() : 0; }
  std::size_t step_bytes() const override { return step_.host_bytes(); }

 private:
  static std::unique_ptr<ProposalTraining> make_proposals(const NeuralField& field,
                                                          cudaStream_t stream) {
    if (!field.proposals) return {};
    return std::make_unique<ProposalTraining>(field, training_sums(*field.config.optimizer),
                                              stream);
  }
  void restore_own(ByteSource& source);
  NerfTables tables() const { return {optimizer_.table(), &weights_}; }
  /// Those of averaged parameters.
  NerfTables shown_tables() override;
  void check_step_memory() const;
  void enqueue_occupancy(std::uint64_t seed);
  void begin_step(const FieldStepRequest& request);
  void start_step(const FieldStepRequest& request);
  void enqueue_step(const MarchSettings& march, bool in_graph);
  void read_pace(FieldStepResult& result);
  std::uint64_t update_latents(const FieldStepRequest& request);

  /// When the device was at the stages of a step, and the parameters whose gradients were not
  /// finite. The host reads those of the end of a step after the next one has begun.
  struct Pace {
    Event begun{EventUse::timing}, graded{EventUse::timing}, ended{EventUse::timing};
    Event differentiated{EventUse::order};
    PinnedBuffer<unsigned> non_finite{"a count"};
    bool is_used = false;
  };
  std::size_t pace_number(std::uint64_t step) const { return step % std::size(paces_); }
  Pace& pace(std::uint64_t step) { return paces_[pace_number(step)]; }

  /// All that the work of a step depends on.
  struct StepWork {
    NerfStep::Form form;
    float coarseness;
    std::size_t pace;

    bool operator==(const StepWork&) const = default;
  };

  ThreadPool& pool_;
  cudaStream_t stream_;
  const FieldTrainerSettings settings_;
  DeviceOptimizer optimizer_;
  NerfWeights weights_, shown_weights_;
  DeviceBuffer<float> shown_networks_{"averages of a network"};
  DeviceBuffer<std::uint16_t> shown_table_{"averages of a grid"};
  std::optional<std::uint32_t> shown_step_;            // of the tables
  const std::unique_ptr<ProposalTraining> proposals_;  // null: samples are in occupied cells
  NerfStep step_;
  NerfEvaluator shown_;
  std::optional<ProposedRays> shown_proposed_;
  RoundTables shown_rounds_;
  RayPainter painter_;
  NeuralField field_;  // without its parameters and the densities of its occupancy
  TrainedOccupancy occupancy_;
  std::optional<ErrorMap> errors_;
  Latents latents_;
  DeviceBuffer<float> shown_latents_{"latents of pictures"};
  TrainingSchedule schedule_{settings_.batch};
  Pace paces_[2];
  Recordings<StepWork> recordings_;
  bool is_whole_ = true;
};

NerfTables CudaFieldTrainer::shown_tables() {
  if (shown_step_ != optimizer_.steps()) {
    const float* networks = optimizer_.networks();
    if (optimizer_.has_averages()) {
      shown_networks_.resize_discard(form_.layout.encoding_first);
      shown_table_.resize_discard(optimizer_.table_size());
      optimizer_.enqueue_averages(shown_networks_.data(), shown_table_.data());
      networks = shown_networks_.data();
    }
    shown_weights_.enqueue(networks);
    const std::vector<float> latents = shown_latents(latents_.values(), latents_.count());
    shown_latents_.resize_discard(latents.size());
    shown_latents_.upload(latents, stream_);
    shown_step_ = optimizer_.steps();
  }
  return {.table = optimizer_.has_averages() ? shown_table_.data() : optimizer_.table(),
          .weights = &shown_weights_,
          .latents = shown_latents_.data()};
}

/// Waits for the gradients by the latents of the photographs, and updates these. Returns the number
/// of gradients that were not finite.
std::uint64_t CudaFieldTrainer::update_latents(const FieldStepRequest& request) {
  if (latents_.count() == 0) return 0;
  pace(schedule_.step).differentiated.synchronize();
  return step_photo_latents(request.photographs, step_.latent_gradients(), latents_);
}

/// Before a step takes it.
void CudaFieldTrainer::check_step_memory() const {
  const std::uint64_t rays = schedule_.rays;
  const std::size_t held = step_.memory_bytes();
  const std::size_t needed =
      proposals_ ? NerfStep::proposed_bytes_for(form_, rays, proposals_->rays().samples()) +
                       ProposalTraining::step_bytes_for(field_, StepRays::space_for(rays))
                 : NerfStep::bytes_for(form_, rays, settings_.batch * kTrainingSpace);
  if (needed <= held) return;
  check_free_memory(needed - held, "a step of " + std::to_string(rays) + " rays", remedy_of_step());
}

FieldStepResult CudaFieldTrainer::step(const FieldStepRequest& request) {
  CHECK(!request.photographs.empty());
  gpu_.enter();
  const auto start = SteadyClock::now();
  FieldStepResult result;
  if (!proposals_ && schedule_.step >= schedule_.next_update) enqueue_occupancy(request.seed);
  check_step_memory();
  const std::vector<float> latents = photo_latents(latents_, request.photographs);
  with_remedy(
      [&] {
        step_.prepare(request, {.placement = field_.placement,
                                .rays = schedule_.rays,
                                .most_samples = settings_.batch * kTrainingSpace,
                                .tables = tables(),
                                .errors = errors_ ? &*errors_ : nullptr,
                                .latents = latents});
      },
      remedy_of_step);
  result.march_ms = ms_since(start);
  start_step(request);
  pace(schedule_.step).graded.synchronize();
  step_.read(result);
  if (errors_) {
    step_.add_errors(request, *errors_);
    errors_->end_step();
  }
  read_pace(result);
  result.non_finite += update_latents(request);
  ++schedule_.step;
  if (!proposals_) {
    schedule_.adapt(std::max<std::uint64_t>(step_.samples_found(), 1), settings_.batch,
                    settings_.first_steps);
  }
  is_whole_ = true;
  result.total_ms = ms_since(start);
  return result;
}

void CudaFieldTrainer::begin_step(const FieldStepRequest& request) {
  is_whole_ = false;
  // Proposals that were trained before know where to choose.
  if (proposals_) proposals_->begin_step(optimizer_.steps(), request.seed, request.learning_rate);
  optimizer_.begin_step(request.learning_rate);
  pace(schedule_.step).is_used = true;
}

void CudaFieldTrainer::start_step(const FieldStepRequest& request) {
  const MarchSettings march =
      march_in_box(field_cube(field_.aabb_scale), field_.aabb_scale, schedule_.coarseness);
  if (!step_.can_be_recorded()) {
    begin_step(request);
    return enqueue_step(march, false);
  }
  const StepWork work{step_.form(), schedule_.coarseness, pace_number(schedule_.step)};
  const Graph& graph = recordings_.graph_of(work, stream_, [&] { enqueue_step(march, true); });
  begin_step(request);
  graph.launch(stream_);
}

void CudaFieldTrainer::enqueue_step(const MarchSettings& march, bool in_graph) {
  Pace& own = pace(schedule_.step);
  const auto reach = [&](Event& event) {
    in_graph ? event.record_in_graph(stream_) : event.record(stream_);
  };
  reach(own.begun);
  optimizer_.enqueue_start();
  if (proposals_) proposals_->enqueue_start();
  step_.enqueue_trace(occupancy_.bits(), march);
  step_.enqueue_grade(*field_.config.loss);
  reach(own.graded);
  step_.enqueue_gradients(optimizer_);
  reach(own.differentiated);
  optimizer_.enqueue_step(step_.table_factor(optimizer_.sums_kind()));
  weights_.enqueue(optimizer_.networks());
  optimizer_.enqueue_non_finite(own.non_finite.span().first(1));
  if (proposals_) proposals_->enqueue_non_finite(own.non_finite.span().subspan(1));
  reach(own.ended);
}

/// The times of the step before, and the gradients of parameters and of features of single samples
/// that were not finite in it. After NerfStep::read(), so that it has ended.
void CudaFieldTrainer::read_pace(FieldStepResult& result) {
  const Pace& before = pace(schedule_.step + 1);
  if (!before.is_used) return;
  for (const unsigned count : before.non_finite.span()) result.non_finite += count;
  result.forward_ms = static_cast<double>(before.graded.elapsed_ms(before.begun));
  result.backward_ms = static_cast<double>(before.ended.elapsed_ms(before.graded));
}

void CudaFieldTrainer::enqueue_occupancy(std::uint64_t seed) {
  const std::uint64_t step = schedule_.step;
  const bool is_first = step == kFirstOccupancyUpdate;
  const OccupancyUpdate update{
      .all = is_first,
      .counts = step < kOccupancyWarmUp ? kFirstMeasuredCells : kMeasuredCells,
      // Nothing was known before the first update.
      .decay = is_first ? 0 : kOccupancyDecay,
      .seed = random_bits(seed, 0x6f636375),
      .step = step};
  with_remedy([&] { occupancy_.make_space(update); }, remedy_of_step);
  // A state with these densities, from before the step, does not measure them again.
  is_whole_ = false;
  occupancy_.enqueue(update, tables());
  is_whole_ = true;
  schedule_.set_next_update(step, settings_.occupancy_samples, settings_.batch);
}

FrameStats CudaFieldTrainer::render_parts(const Camera& camera, const RenderSettings& settings,
                                          const Dividers& dividers, std::span<Frame> parts) {
  gpu_.enter();
  const PictureRequest request{camera, settings, parts, dividers};
  if (settings.outputs.slice) {
    if (proposals_) return draw_slice({*this, field_, nullptr}, request, pool_);
    const OccupancyBits bits({field_.occupancy.cascades, occupancy_.densities()});
    return draw_slice({*this, field_, &bits}, request, pool_);
  }
  shown_.use(shown_tables());
  std::optional<PaintedProposals> proposals;
  if (proposals_) {
    shown_rounds_.use(proposals_->averaged_tables());
    proposals.emplace(PaintedProposals{*shown_proposed_, shown_rounds_});
  }
  return painter_.render({.facts = field_,
                          .occupancy = occupancy_.bits(),
                          .box_min = form_.box_min,
                          .box_size = form_.box_size,
                          .evaluator = shown_,
                          .proposals = proposals ? &*proposals : nullptr},
                         request);
}

NeuralField CudaFieldTrainer::field() {
  gpu_.enter();
  NeuralField copy = field_;
  copy.parameters = optimizer_.averaged();
  copy.occupancy.values = occupancy_.densities();
  copy.latents = latents_.values();
  copy.training_step = optimizer_.steps();
  if (proposals_) {
    proposals_->export_to(*copy.proposals);
    measure_cells(copy.occupancy);
  }
  return copy;
}

void CudaFieldTrainer::save(ByteSink& sink) const {
  gpu_.enter();
  schedule_.save(occupancy_.densities(), sink);
  optimizer_.save(sink);
  if (errors_) errors_->save(sink);
  latents_.save(sink);
  if (proposals_) proposals_->save(sink);
}

void CudaFieldTrainer::restore(ByteSource& source) {
  gpu_.enter();
  is_whole_ = false;
  occupancy_.upload({field_.occupancy.cascades, schedule_.restore(occupancy_.size(), source)});
  restore_own(source);
  if (errors_) errors_->restore(source);
  latents_.restore(source);
  if (proposals_) proposals_->restore(source);
  for (Pace& pace : paces_) pace.is_used = false;
  is_whole_ = true;
}

/// The state of the optimiser of the field's own parameters.
void CudaFieldTrainer::restore_own(ByteSource& source) {
  optimizer_.restore(source);
  shown_step_.reset();
  weights_.enqueue(optimizer_.networks());
}

OptimizerStates CudaFieldTrainer::optimizer_states() const {
  gpu_.enter();
  OptimizerStates states{.field = optimizer_.moments(), .latents = latents_.states()};
  if (proposals_) states.proposals = proposals_->states();
  return states;
}

void CudaFieldTrainer::restore_optimizers(ByteSource& source) {
  gpu_.enter();
  restore_own(source);
  if (proposals_) proposals_->restore(source);
  latents_.restore_states(source);
}

}  // namespace

std::unique_ptr<FieldTrainer> make_cuda_field_trainer(NeuralField field,
                                                      const FieldTrainerSettings& settings,
                                                      std::span<const Camera> cameras,
                                                      const std::string& device, ThreadPool& pool,
                                                      cudaStream_t stream) {
  check_nerf_trains(field, settings, device);
  return with_remedy(
      [&] {
        return std::make_unique<CudaFieldTrainer>(std::move(field), settings, cameras, pool,
                                                  stream);
      },
      remedy_of_field);
}

}  // namespace mote::cuda
