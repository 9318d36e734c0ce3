// Training of a NeRF on the CPU.
#include <algorithm>
#include <optional>
#include <utility>

#include "backend/photo_latents.h"
#include "backend/slice_drawing.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "core/release.h"
#include "cpu/cpu_field.h"
#include "cpu/nerf_batch.h"
#include "cpu/nerf_drawing.h"
#include "cpu/parameter_optimizer.h"
#include "cpu/proposal_trainer.h"
#include "fields/applications/compositing.h"
#include "fields/field_camera.h"
#include "fields/latents.h"
#include "fields/occupancy_views.h"
#include "fields/training_schedule.h"
#include "math/counter_random.h"

namespace mote {
namespace {

class CpuFieldTrainer : public FieldTrainer {
 public:
  CpuFieldTrainer(NeuralField field, const FieldTrainerSettings& settings,
                  std::span<const Camera> cameras, const CpuKernels& kernels, ThreadPool& pool)
      : field_(std::move(field)),
        settings_(settings),
        shape_(field_),
        pool_(pool),
        optimizer_(field_, shape_.layout.encoding_first, kernels, pool),
        proposals_(make_proposals(field_, kernels, pool)),
        batch_(shape_, kernels, pool, proposals_ ? &proposals_->rays() : nullptr),
        bits_(field_.occupancy),
        latents_(settings.latent_photographs, shape_.layout.latents, settings.latent_seed,
                 first_latents()) {
    if (settings.mapped_photographs > 0) errors_.emplace(settings.mapped_photographs);
    release(field_.parameters);
    if (proposals_) {
      for (ProposalRound& round : field_.proposals->rounds) release(round.parameters);
      schedule_.rays =
          proposed_rays(settings.batch, static_cast<std::uint64_t>(field_.proposals->samples));
      return;
    }
    if (settings.is_trained) {
      schedule_.coarseness = settings.first_steps;
      return;
    }
    start_occupancy(field_.placement, cameras, field_.occupancy);
    bits_ = OccupancyBits(field_.occupancy);
  }

  FieldStepResult step(const FieldStepRequest& request) override;
  FieldStepResult differentiate(const FieldStepRequest& request) override;
  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override;
  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override;
  NeuralField field() override;
  std::size_t parameters() const override {
    return shape_.layout.parameters + (proposals_ ? proposals_->parameters() : 0);
  }
  void save(ByteSink& sink) const override;
  void restore(ByteSource& source) override;
  OptimizerStates optimizer_states() const override;
  void restore_optimizers(ByteSource& source) override;
  bool is_whole() const override { return is_whole_; }
  std::size_t state_bytes() const override {
    return optimizer_.memory_bytes() + field_.occupancy.values.size() * sizeof(float) +
           (errors_ ? errors_->memory_bytes() : 0) + latents_.memory_bytes() +
           (proposals_ ? proposals_->state_bytes() : 0);
  }
  std::size_t step_bytes() const override {
    return batch_.memory_bytes() + (proposals_ ? proposals_->step_bytes() : 0);
  }

 private:
  static std::unique_ptr<ProposalTrainer> make_proposals(const NeuralField& field,
                                                         const CpuKernels& kernels,
                                                         ThreadPool& pool) {
    if (!field.proposals) return {};
    return std::make_unique<ProposalTrainer>(field, kernels, pool);
  }
  /// Empty: they are random, or a trained field keeps those of its photographs.
  std::span<const float> first_latents() const {
    if (settings_.is_trained) return {};
    return field_.latents;
  }
  std::uint64_t compared_rays(const FieldStepRequest& request) const;
  void show_latents() {
    const std::vector<float>& known = settings_.is_trained ? field_.latents : latents_.values();
    batch_.waves().show_latents(shown_latents(known, latents_.count()));
  }
  void measure_all_cells(OccupancyDensities& densities);
  void update_occupancy(std::uint64_t seed, std::uint64_t step);
  MarchSettings training_march() const;

  NeuralField field_;  // without its parameters
  const FieldTrainerSettings settings_;
  const NerfShape shape_;
  ThreadPool& pool_;
  ParameterOptimizer optimizer_;
  const std::unique_ptr<ProposalTrainer> proposals_;  // null: samples are in occupied cells
  NerfBatch batch_;
  OccupancyBits bits_;
  std::optional<ErrorMap> errors_;
  Latents latents_;
  TrainingSchedule schedule_{settings_.batch};
  bool is_whole_ = true;
};

MarchSettings CpuFieldTrainer::training_march() const {
  return march_in_box(field_cube(field_.aabb_scale), field_.aabb_scale, schedule_.coarseness)
      .within(bits_.box());
}

FieldStepResult CpuFieldTrainer::step(const FieldStepRequest& request) {
  CHECK(!request.photographs.empty());
  const auto start = SteadyClock::now();
  is_whole_ = false;
  FieldStepResult result;
  if (!proposals_ && schedule_.step >= schedule_.next_update) {
    update_occupancy(request.seed, schedule_.step);
  }
  const MarchSettings march = training_march();
  batch_.choose(request, field_.placement, march, schedule_.rays, settings_.batch * kTrainingSpace,
                errors_ ? &*errors_ : nullptr, photo_latents(latents_, request.photographs));
  // Proposals that were trained before know where to choose.
  if (proposals_) proposals_->sample(optimizer_.steps(), request.seed);
  result.march_ms = ms_since(start);

  const auto forward = SteadyClock::now();
  batch_.trace(optimizer_.tables(), bits_, march);
  batch_.grade(request, *field_.config.loss, result);
  if (errors_) {
    batch_.add_errors(request, *errors_);
    errors_->end_step();
  }
  result.forward_ms = ms_since(forward);

  const auto backward = SteadyClock::now();
  batch_.differentiate(optimizer_.tables(), optimizer_.network_gradients(), request.pose_gradients);
  if (request.pose_gradients) {
    batch_.add_pose_gradients(optimizer_.tables(), request, field_.placement, result);
  }
  if (proposals_) proposals_->differentiate();
  result.backward_ms = ms_since(backward);

  const auto update = SteadyClock::now();
  result.non_finite = optimizer_.step(request.learning_rate, batch_.table_gradients()) +
                      step_photo_latents(request.photographs, batch_.latent_gradients(), latents_);
  if (proposals_) result.non_finite += proposals_->step(request.learning_rate);
  result.update_ms = ms_since(update);

  ++schedule_.step;
  const std::uint64_t found = std::max<std::uint64_t>(batch_.samples_found(), 1);
  if (!proposals_) schedule_.adapt(found, settings_.batch, settings_.first_steps);
  is_whole_ = true;
  result.total_ms = ms_since(start);
  return result;
}

/// Rays of differentiate(). A pose has six components, so that few are enough.
std::uint64_t CpuFieldTrainer::compared_rays(const FieldStepRequest& request) const {
  constexpr std::uint64_t kMostRays = 2048;
  std::uint64_t pixels = 0;
  for (const FieldPhoto& photo : request.photographs) {
    pixels += static_cast<std::uint64_t>(photo.photo->width()) *
              static_cast<std::uint64_t>(photo.photo->height());
  }
  return std::min(std::clamp(pixels / 2, TrainingSchedule::kFewestRays, kMostRays), schedule_.rays);
}

FieldStepResult CpuFieldTrainer::differentiate(const FieldStepRequest& request) {
  CHECK(!request.photographs.empty());
  const auto start = SteadyClock::now();
  FieldStepResult result;
  const MarchSettings march = training_march();
  show_latents();
  batch_.choose(request, field_.placement, march, compared_rays(request),
                settings_.batch * kTrainingSpace);
  if (proposals_) proposals_->sample_averaged(request.seed);
  const FieldParameters tables = optimizer_.averaged_tables();
  batch_.trace(tables, bits_, march);
  batch_.grade(request, *field_.config.loss, result);
  if (request.pose_gradients) {
    std::vector<float> of_networks(shape_.layout.encoding_first, 0.0f);
    batch_.differentiate(tables, of_networks.data(), true);
    batch_.add_pose_gradients(tables, request, field_.placement, result);
  }
  result.total_ms = ms_since(start);
  return result;
}

void CpuFieldTrainer::update_occupancy(std::uint64_t seed, std::uint64_t step) {
  const bool is_first = step == kFirstOccupancyUpdate;
  const std::uint64_t own_seed = random_bits(seed, 0x6f636375);
  const std::vector<std::uint32_t> cells =
      is_first ? seen_cells(field_.occupancy)
               : random_cells(field_.occupancy,
                              step < kOccupancyWarmUp ? kFirstMeasuredCells : kMeasuredCells,
                              own_seed, step);
  std::vector<float> measured(cells.size());
  batch_.waves().densities(
      optimizer_.tables(), cells.size(),
      [&](std::size_t i) {
        return cell_position(cells[i], random_place(random_bits(own_seed, i)));
      },
      [&](std::size_t i, float raw) { measured[i] = optical_thickness(raw, kSmallestStep); });
  // Nothing was known before the first update.
  update_densities(cells, measured, is_first ? 0 : kOccupancyDecay, field_.occupancy);
  bits_ = OccupancyBits(field_.occupancy);
  schedule_.set_next_update(step, settings_.occupancy_samples, settings_.batch);
}

/// The densities of the averaged parameters in the middle of all cells.
void CpuFieldTrainer::measure_all_cells(OccupancyDensities& densities) {
  batch_.waves().densities(
      optimizer_.averaged_tables(), densities.values.size(),
      [&](std::size_t i) {
        return cell_position(static_cast<std::uint32_t>(i), {0.5f, 0.5f, 0.5f});
      },
      [&](std::size_t i, float raw) {
        densities.values[i] = optical_thickness(raw, kSmallestStep);
      });
}

void CpuFieldTrainer::evaluate(const float* positions, std::size_t count, std::size_t stride,
                               float* values) {
  evaluate_densities(optimizer_.averaged_tables(), batch_.waves(), positions, count, stride,
                     values);
}

FrameStats CpuFieldTrainer::render(const Camera& camera, const RenderSettings& settings,
                                   Frame& frame) {
  if (settings.outputs.slice) {
    const OccupancyBits* occupied = proposals_ ? nullptr : &bits_;
    return draw_slice({*this, field_, occupied}, {camera, settings, {&frame, 1}}, pool_);
  }
  show_latents();
  DrawnNerf nerf{optimizer_.averaged_tables(), bits_, field_};
  if (proposals_) {
    nerf.proposals = &proposals_->rays();
    nerf.proposal_tables = proposals_->averaged_tables();
  }
  return draw_nerf(nerf, {camera, settings, {&frame, 1}}, pool_, batch_.waves());
}

NeuralField CpuFieldTrainer::field() {
  NeuralField copy = field_;
  copy.parameters = optimizer_.averaged();
  if (!settings_.is_trained) copy.latents = latents_.values();
  copy.training_step = optimizer_.steps();
  if (proposals_) {
    proposals_->export_to(*copy.proposals);
    measure_all_cells(copy.occupancy);
  }
  return copy;
}

void CpuFieldTrainer::save(ByteSink& sink) const {
  schedule_.save(field_.occupancy.values, sink);
  optimizer_.save(sink);
  if (errors_) errors_->save(sink);
  latents_.save(sink);
  if (proposals_) proposals_->save(sink);
}

void CpuFieldTrainer::restore(ByteSource& source) {
  is_whole_ = false;
  field_.occupancy.values = schedule_.restore(field_.occupancy.values.size(), source);
  optimizer_.restore(source);
  if (errors_) errors_->restore(source);
  latents_.restore(source);
  if (proposals_) proposals_->restore(source);
  bits_ = OccupancyBits(field_.occupancy);
  is_whole_ = true;
}

OptimizerStates CpuFieldTrainer::optimizer_states() const {
  OptimizerStates states{.field = optimizer_.state(), .latents = latents_.states()};
  if (proposals_) states.proposals = proposals_->states();
  return states;
}

void CpuFieldTrainer::restore_optimizers(ByteSource& source) {
  optimizer_.restore(source);
  if (proposals_) proposals_->restore(source);
  latents_.restore_states(source);
}

}  // namespace

std::unique_ptr<FieldTrainer> make_cpu_field_trainer(NeuralField field,
                                                     const FieldTrainerSettings& settings,
                                                     std::span<const Camera> cameras,
                                                     const CpuKernels& kernels, ThreadPool& pool) {
  return std::make_unique<CpuFieldTrainer>(std::move(field), settings, cameras, kernels, pool);
}

}  // namespace mote
