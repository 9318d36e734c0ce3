// A step is: encode, evaluate, loss, gradients of the network and of the grid, update. It is one
// graph, which is recorded once for each number of samples. The host starts it and waits for its
// results. Every sum is exact or taken in a fixed order, so that the same step gives the same bits.

#include "cuda/fields/cuda_field_fitter.h"

#include <fmt/format.h>

#include <utility>

#include "backend/slice_drawing.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "cuda/fields/averaged_tables.h"
#include "cuda/fields/device_optimizer.h"
#include "cuda/fields/field_painter.h"
#include "cuda/fields/field_tables.h"
#include "cuda/fields/fit_batch.h"
#include "cuda/fields/free_memory.h"
#include "cuda/fields/training_bytes.h"
#include "cuda/kernels/fields/grid_gradients.h"
#include "cuda/runtime/recordings.h"

namespace mote::cuda {
namespace {

class CudaFieldFitter : public FieldFitter {
 public:
  CudaFieldFitter(NeuralField field, const std::string& device, ThreadPool& pool,
                  cudaStream_t stream)
      : gpu_(Gpu::current()),
        device_(device),
        pool_(pool),
        stream_(stream),
        batch_(field, stream),
        optimizer_(field, batch_.shape().layout.encoding_first,
                   training_sums(*field.config.optimizer), stream),
        shown_(batch_.shape(), stream),
        painter_(std::move(field), pool, stream),
        stages_{Event(EventUse::timing), Event(EventUse::timing), Event(EventUse::timing),
                Event(EventUse::timing)} {
    non_finite_.resize_discard(1);
    batch_.enqueue_weights(optimizer_);
  }
  ~CudaFieldFitter() override { gpu_.enter_quietly(); }
  CudaFieldFitter(const CudaFieldFitter&) = delete;
  CudaFieldFitter& operator=(const CudaFieldFitter&) = delete;

  FieldFitResult step(const FieldFitRequest& request) override;
  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override {
    return render_parts(camera, settings, {}, {&frame, 1});
  }
  FrameStats render_parts(const Camera& camera, const RenderSettings& settings,
                          const Dividers& dividers, std::span<Frame> parts) override {
    gpu_.enter();
    const PictureRequest request{camera, settings, parts, dividers};
    if (settings.outputs.slice) return draw_slice_of(*this, painter_.field(), request, pool_);
    return painter_.render(shown_.tables(batch_.network(), optimizer_), request);
  }
  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    gpu_.enter();
    painter_.evaluate(shown_.tables(batch_.network(), optimizer_), positions, count, stride,
                      values);
  }
  NeuralField field() override;
  std::size_t parameters() const override { return batch_.shape().layout.parameters; }
  void save(ByteSink& sink) const override;
  void restore(ByteSource& source) override;
  OptimizerStates optimizer_states() const override;
  void restore_optimizers(ByteSource& source) override;
  bool is_whole() const override { return is_whole_; }
  std::size_t state_bytes() const override { return 0; }
  std::size_t step_bytes() const override { return batch_.host_bytes(); }

 private:
  enum Stage { kBegin, kForward, kBackward, kUpdated, kStages };

  /// All that the work of a step depends on. Buffers that grew have moved.
  struct StepForm {
    std::size_t count, bytes;
    double eikonal;

    bool operator==(const StepForm&) const = default;
  };

  void check_request(const FieldFitRequest& request) const;
  void enqueue();

  Gpu gpu_;
  std::string device_;
  ThreadPool& pool_;
  cudaStream_t stream_;
  FitBatch batch_;
  DeviceOptimizer optimizer_;
  AveragedTables shown_;
  FieldPainter painter_;
  PinnedBuffer<unsigned> non_finite_{"a count"};
  Event stages_[kStages];
  Recordings<StepForm> recordings_;
  bool is_whole_ = true;
};

void CudaFieldFitter::check_request(const FieldFitRequest& request) const {
  CHECK(request.count > 0);
  if (request.eikonal > 0) {
    const std::string missing = missing_slope_kernels(painter_.field());
    if (!missing.empty()) {
      throw Error(missing, device_, "leave --eikonal out, or use --device cpu");
    }
  }
  if (request.count > kMostGradientSamples) {
    throw Error(fmt::format("a step of {} samples is not built for CUDA, only of up to {}",
                            request.count, kMostGradientSamples),
                device_, "use a smaller --batch, or --device cpu");
  }
  const std::size_t needed = fit_batch_bytes(batch_.shape(), request.count, request.eikonal > 0);
  const std::size_t held = batch_.memory_bytes();
  if (needed > held) {
    check_free_memory(needed - held, fmt::format("a step of {} samples", request.count),
                      remedy_of_step());
  }
}

/// Is recorded.
void CudaFieldFitter::enqueue() {
  stages_[kBegin].record_in_graph(stream_);
  optimizer_.enqueue_start();
  batch_.enqueue_forward(optimizer_);
  stages_[kForward].record_in_graph(stream_);
  batch_.enqueue_backward(optimizer_);
  stages_[kBackward].record_in_graph(stream_);
  optimizer_.enqueue_step(batch_.table_factor(optimizer_.sums_kind()));
  batch_.enqueue_weights(optimizer_);
  stages_[kUpdated].record_in_graph(stream_);
  batch_.enqueue_sums();
  optimizer_.enqueue_non_finite(non_finite_.span());
}

FieldFitResult CudaFieldFitter::step(const FieldFitRequest& request) {
  gpu_.enter();
  check_request(request);
  const auto start = SteadyClock::now();
  with_remedy([&] { batch_.begin(request.count, request.eikonal); }, remedy_of_step);
  batch_.fill(request, pool_);
  FieldFitResult result;
  result.sample_ms = ms_since(start);
  painter_.forget_tables();
  const StepForm form{request.count, batch_.memory_bytes() + batch_.host_bytes(), request.eikonal};
  const Graph& graph = recordings_.graph_of(form, stream_, [&] { enqueue(); });
  is_whole_ = false;
  optimizer_.begin_step(request.learning_rate);
  graph.launch(stream_);
  check(cudaStreamSynchronize(stream_), "a training step");
  const double values = static_cast<double>(request.count * batch_.shape().outputs);
  result.loss = batch_.loss_sum(kLossSum) / values;
  result.l1 = batch_.loss_sum(kFitAbsoluteSum) / values;
  result.mse = batch_.loss_sum(kFitSquaredSum) / values;
  if (request.eikonal > 0) {
    result.eikonal = batch_.eikonal_sum() / static_cast<double>(request.count);
    result.loss += request.eikonal * result.eikonal;
  }
  // The count has the network's parameters and the features of single samples.
  result.non_finite = *non_finite_.data();
  const auto between = [&](Stage from, Stage to) {
    return static_cast<double>(stages_[to].elapsed_ms(stages_[from]));
  };
  result.forward_ms = between(kBegin, kForward);
  result.backward_ms = between(kForward, kBackward);
  result.update_ms = between(kBackward, kUpdated);
  is_whole_ = true;
  result.total_ms = ms_since(start);
  return result;
}

NeuralField CudaFieldFitter::field() {
  gpu_.enter();
  NeuralField copy = painter_.field();
  copy.parameters = optimizer_.averaged();
  copy.training_step = optimizer_.steps();
  return copy;
}

void CudaFieldFitter::save(ByteSink& sink) const {
  gpu_.enter();
  sink.put(std::uint64_t{optimizer_.steps()});
  optimizer_.save(sink);
}

void CudaFieldFitter::restore(ByteSource& source) {
  gpu_.enter();
  is_whole_ = false;
  source.get<std::uint64_t>();  // the steps, which the optimiser counts too
  restore_optimizers(source);
}

OptimizerStates CudaFieldFitter::optimizer_states() const {
  gpu_.enter();
  return {.field = optimizer_.moments()};
}

void CudaFieldFitter::restore_optimizers(ByteSource& source) {
  gpu_.enter();
  optimizer_.restore(source);
  shown_.forget();
  painter_.forget_tables();
  batch_.enqueue_weights(optimizer_);
  is_whole_ = true;
}

/// Throws Error if the field has no kernels, or needs more memory than the device has.
void check_field_trains(const NeuralField& field, const std::string& device) {
  const std::string missing = missing_kernels(field);
  if (!missing.empty()) throw Error(missing, device, "use --device cpu");
  const FieldBytes bytes = *field_training_bytes(field, 1, false);
  check_free_memory(bytes.state, fmt::format("training {} parameters", field.parameters.size()),
                    remedy_of_field());
}

}  // namespace

std::unique_ptr<FieldFitter> make_cuda_field_fitter(NeuralField field, const std::string& device,
                                                    ThreadPool& pool, cudaStream_t stream) {
  check_field_trains(field, device);
  return with_remedy(
      [&] { return std::make_unique<CudaFieldFitter>(std::move(field), device, pool, stream); },
      remedy_of_field);
}

}  // namespace mote::cuda
