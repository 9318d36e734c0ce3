// A step is: choose rays, follow them in waves, loss, gradients of both networks and of the grid,
// update. Every sum is exact or taken in a fixed order, so that the same step gives the same bits.

#include "cuda/fields/cuda_field_trainer.h"

#include <optional>
#include <utility>

#include "core/elapsed.h"
#include "core/error.h"
#include "cuda/fields/cuda_nerf.h"
#include "cuda/fields/device_optimizer.h"
#include "cuda/fields/free_memory.h"
#include "cuda/fields/nerf_step.h"
#include "cuda/fields/ray_painter.h"
#include "cuda/fields/training_bytes.h"
#include "fields/applications/shading.h"
#include "fields/field_march.h"
#include "fields/latents.h"
#include "fields/occupancy_views.h"
#include "fields/training_schedule.h"
#include "math/counter_random.h"

namespace mote::cuda {
namespace {

constexpr std::size_t kMeasuredAtOnce = std::size_t{1} << 18;  // cells

class CudaFieldTrainer : public FieldTrainer {
 public:
  CudaFieldTrainer(NeuralField field, const FieldTrainerSettings& settings,
                   std::span<const Camera> cameras, const std::string& device, ThreadPool& pool,
                   cudaStream_t stream)
      : gpu_(Gpu::current()),
        device_(device),
        stream_(stream),
        settings_(settings),
        form_(field),
        optimizer_(field, form_.layout.encoding_first, kTrainingSums, stream),
        weights_(form_, true, stream),
        shown_weights_(form_, false, stream),
        step_(form_, pool, stream),
        points_(form_, stream),
        shown_(form_, false, stream),
        painter_(pool, stream),
        field_(std::move(field)),
        bits_(field_.occupancy),
        occupancy_(stream),
        latents_(settings.latent_photographs, 0, settings.latent_seed) {
    if (settings.mapped_photographs > 0) errors_.emplace(settings.mapped_photographs);
    field_.parameters = {};
    non_finite_.resize_discard(1);
    weights_.enqueue(optimizer_.networks());
    start_occupancy(field_.placement, cameras, field_.occupancy);
    set_bits();
  }
  ~CudaFieldTrainer() override { gpu_.enter_quietly(); }
  CudaFieldTrainer(const CudaFieldTrainer&) = delete;
  CudaFieldTrainer& operator=(const CudaFieldTrainer&) = delete;

  FieldStepResult step(const FieldStepRequest& request) override;
  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override;
  FrameStats render_parts(const Camera& camera, const RenderSettings& settings,
                          const Dividers& dividers, std::span<Frame> parts) override {
    check_undivided(dividers, device_);
    return DeviceField::render_parts(camera, settings, dividers, parts);
  }
  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    gpu_.enter();
    points_.densities(shown_tables(), positions, count, stride, values);
  }
  void radiance(const float* positions, const float* directions, std::size_t count,
                std::size_t stride, float* colors) override {
    gpu_.enter();
    points_.radiance(shown_tables(), positions, directions, count, stride, colors);
  }
  NeuralField field() override;
  std::size_t parameters() const override { return form_.layout.parameters; }
  void save(ByteSink& sink) const override;
  void restore(ByteSource& source) override;
  std::size_t state_bytes() const override {
    return field_.occupancy.values.size() * sizeof(float) + (errors_ ? errors_->memory_bytes() : 0);
  }
  std::size_t step_bytes() const override { return step_.host_bytes(); }

 private:
  NerfTables tables() const { return {optimizer_.table(), &weights_}; }
  /// Those of averaged parameters.
  NerfTables shown_tables();
  void set_bits();
  void check_step_memory() const;
  void update_occupancy(std::uint64_t seed);

  Gpu gpu_;
  std::string device_;
  cudaStream_t stream_;
  const FieldTrainerSettings settings_;
  NerfForm form_;
  DeviceOptimizer optimizer_;
  NerfWeights weights_, shown_weights_;
  DeviceBuffer<float> shown_networks_{"averages of a network"};
  DeviceBuffer<std::uint16_t> shown_table_{"averages of a grid"};
  std::optional<std::uint32_t> shown_step_;  // of the tables
  NerfStep step_;
  NerfPoints points_;
  NerfEvaluator shown_;
  RayPainter painter_;
  NeuralField field_;  // without its parameters
  OccupancyBits bits_;
  DeviceOccupancy occupancy_;
  std::optional<ErrorMap> errors_;
  Latents latents_;  // none: a part of the saved state
  TrainingSchedule schedule_;
  PinnedBuffer<unsigned> non_finite_{"a count"};
};

void CudaFieldTrainer::set_bits() {
  bits_ = OccupancyBits(field_.occupancy);
  occupancy_.upload(bits_);
}

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
    shown_step_ = optimizer_.steps();
  }
  return {optimizer_.has_averages() ? shown_table_.data() : optimizer_.table(), &shown_weights_};
}

/// Before a step takes it.
void CudaFieldTrainer::check_step_memory() const {
  const std::size_t needed =
      nerf_step_bytes(form_, schedule_.rays, settings_.batch * kTrainingSpace);
  const std::size_t held = step_.memory_bytes();
  if (needed <= held) return;
  check_free_memory(needed - held, "a step of " + std::to_string(schedule_.rays) + " rays",
                    remedy_of_step());
}

FieldStepResult CudaFieldTrainer::step(const FieldStepRequest& request) {
  CHECK(!request.photographs.empty());
  gpu_.enter();
  const auto start = SteadyClock::now();
  FieldStepResult result;
  if (schedule_.step >= schedule_.next_update) update_occupancy(request.seed);
  const MarchSettings march =
      march_in_box(field_cube(field_.aabb_scale), field_.aabb_scale, schedule_.coarseness)
          .within(bits_.box());
  check_step_memory();
  with_remedy(
      [&] {
        step_.choose(request, field_.placement, schedule_.rays, settings_.batch * kTrainingSpace,
                     errors_ ? &*errors_ : nullptr);
      },
      remedy_of_step);
  result.march_ms = ms_since(start);

  const auto forward = SteadyClock::now();
  optimizer_.enqueue_start();
  step_.trace(tables(), occupancy_, march);
  step_.grade(request, *field_.config.loss, result);
  if (errors_) {
    step_.add_errors(request, *errors_);
    errors_->end_step();
  }
  result.forward_ms = ms_since(forward);

  const auto backward = SteadyClock::now();
  step_.enqueue_gradients(optimizer_);
  optimizer_.enqueue_step(request.learning_rate, step_.table_factor(kTrainingSums));
  weights_.enqueue(optimizer_.networks());
  optimizer_.enqueue_non_finite(non_finite_.span());
  check(cudaStreamSynchronize(stream_), "a training step");
  // The count has the networks' parameters and the features of single samples.
  result.non_finite = *non_finite_.data();
  result.backward_ms = ms_since(backward);

  ++schedule_.step;
  schedule_.adapt(std::max<std::uint64_t>(step_.samples_found(), 1), settings_.batch,
                  settings_.first_steps);
  result.total_ms = ms_since(start);
  return result;
}

void CudaFieldTrainer::update_occupancy(std::uint64_t seed) {
  const std::uint64_t step = schedule_.step, own_seed = random_bits(seed, 0x6f636375);
  const bool is_first = step == kFirstOccupancyUpdate;
  const std::vector<std::uint32_t> cells =
      is_first ? seen_cells(field_.occupancy)
               : random_cells(field_.occupancy,
                              step < kOccupancyWarmUp ? kFirstMeasuredCells : kMeasuredCells,
                              own_seed, step);
  std::vector<float> measured(cells.size()), positions(3 * kMeasuredAtOnce);
  for (std::size_t first = 0; first < cells.size(); first += kMeasuredAtOnce) {
    const std::size_t own = std::min(kMeasuredAtOnce, cells.size() - first);
    for (std::size_t i = 0; i < own; ++i) {
      const Vec3<float> at =
          cell_position(cells[first + i], random_place(random_bits(own_seed, first + i)));
      positions[i] = (at.x - form_.box_min) / form_.box_size;
      positions[kMeasuredAtOnce + i] = (at.y - form_.box_min) / form_.box_size;
      positions[2 * kMeasuredAtOnce + i] = (at.z - form_.box_min) / form_.box_size;
    }
    points_.densities(tables(), positions.data(), own, kMeasuredAtOnce, measured.data() + first);
  }
  for (float& value : measured) value = optical_thickness(value, kSmallestStep);
  // Nothing was known before the first update.
  update_densities(cells, measured, is_first ? 0 : kOccupancyDecay, field_.occupancy);
  set_bits();
  schedule_.set_next_update(step, settings_.occupancy_samples, settings_.batch);
}

FrameStats CudaFieldTrainer::render(const Camera& camera, const RenderSettings& settings,
                                    Frame& frame) {
  gpu_.enter();
  shown_.use(shown_tables());
  return painter_.render({.facts = field_,
                          .bits = bits_,
                          .occupancy = occupancy_,
                          .box_min = form_.box_min,
                          .box_size = form_.box_size,
                          .evaluator = shown_},
                         device_, camera, settings, frame);
}

NeuralField CudaFieldTrainer::field() {
  gpu_.enter();
  NeuralField copy = field_;
  copy.parameters = optimizer_.averaged();
  copy.training_step = schedule_.step;
  return copy;
}

void CudaFieldTrainer::save(ByteSink& sink) const {
  gpu_.enter();
  sink.put(schedule_.step);
  sink.put(schedule_.rays);
  sink.put(schedule_.coarseness);
  sink.put(schedule_.next_update);
  sink.put_all(std::span<const float>(field_.occupancy.values));
  optimizer_.save(sink);
  if (errors_) errors_->save(sink);
  latents_.save(sink);
}

void CudaFieldTrainer::restore(ByteSource& source) {
  gpu_.enter();
  schedule_.step = source.get<std::uint64_t>();
  schedule_.rays = source.get<std::uint64_t>();
  schedule_.coarseness = source.get<float>();
  schedule_.next_update = source.get<std::uint64_t>();
  std::vector<float> densities = get_all<float>(source);
  if (densities.size() != field_.occupancy.values.size()) {
    throw Error("the occupancy grid has another size", "the saved training state",
                "resume with the same --aabb-scale");
  }
  field_.occupancy.values = std::move(densities);
  optimizer_.restore(source);
  if (errors_) errors_->restore(source);
  latents_.restore(source);
  shown_step_.reset();
  weights_.enqueue(optimizer_.networks());
  set_bits();
}

}  // namespace

std::unique_ptr<FieldTrainer> make_cuda_field_trainer(NeuralField field,
                                                      const FieldTrainerSettings& settings,
                                                      std::span<const Camera> cameras,
                                                      const std::string& device, ThreadPool& pool,
                                                      cudaStream_t stream) {
  const std::string missing = missing_nerf_kernels(field);
  if (!missing.empty()) throw Error(missing, device, "train it with --device cpu");
  const FieldBytes bytes = *field_training_bytes(field, settings.batch);
  check_free_memory(bytes.state,
                    "training " + std::to_string(field.parameters.size()) + " parameters",
                    remedy_of_field());
  return with_remedy(
      [&] {
        return std::make_unique<CudaFieldTrainer>(std::move(field), settings, cameras, device, pool,
                                                  stream);
      },
      remedy_of_field);
}

}  // namespace mote::cuda
