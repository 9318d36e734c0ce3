// Training of fields with one network on the CPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "backend/slice_drawing.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "core/release.h"
#include "cpu/cpu_field.h"
#include "cpu/for_each_part.h"
#include "cpu/parameter_optimizer.h"
#include "cpu/plain_drawing.h"
#include "cpu/plain_field.h"
#include "fields/applications/eikonal.h"

namespace mote {
namespace {

/// Sums over samples and outputs.
struct LossSums {
  double loss = 0, absolute = 0, squared = 0;
};

class CpuFieldFitter : public FieldFitter {
 public:
  CpuFieldFitter(NeuralField field, const CpuKernels& kernels, ThreadPool& pool)
      : field_(std::move(field)),
        shape_(field_),
        pool_(pool),
        optimizer_(field_, shape_.layout.encoding_first, kernels, pool),
        batch_(shape_, kernels, pool),
        shown_(shape_, kernels, pool) {
    release(field_.parameters);
  }

  FieldFitResult step(const FieldFitRequest& request) override;
  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override {
    if (settings.outputs.slice) {
      return draw_slice_of(*this, field_, {camera, settings, {&frame, 1}}, pool_);
    }
    return draw_plain({field_, optimizer_.averaged_tables(), shown_, cells_, pool_},
                      {camera, settings, {&frame, 1}});
  }
  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    shown_.evaluate_all(optimizer_.averaged_tables(), positions, count, stride, values);
  }
  NeuralField field() override;
  std::size_t parameters() const override { return shape_.layout.parameters; }
  void save(ByteSink& sink) const override;
  void restore(ByteSource& source) override;
  OptimizerStates optimizer_states() const override { return {.field = optimizer_.state()}; }
  void restore_optimizers(ByteSource& source) override {
    optimizer_.restore(source);
    cells_.forget();
  }
  bool is_whole() const override { return is_whole_; }
  std::size_t state_bytes() const override { return optimizer_.memory_bytes(); }
  std::size_t evaluation_bytes(std::size_t positions) const override {
    return shown_.evaluation_bytes(positions);
  }
  std::size_t step_bytes() const override {
    return batch_.memory_bytes() + shown_.memory_bytes() + cells_.memory_bytes() +
           targets_.size() * sizeof(float);
  }

 private:
  void fill(const FieldFitRequest& request);
  template <FieldLoss LOSS>
  LossSums grade_part(std::size_t from, std::size_t to, float scale);
  LossSums grade(std::size_t count);
  double grade_slopes(std::size_t count, double weight);

  NeuralField field_;  // without its parameters
  const PlainShape shape_;
  ThreadPool& pool_;
  ParameterOptimizer optimizer_;
  PlainField batch_, shown_;  // of a step, of pictures
  CellDistances cells_;       // of pictures
  Buffer<float> targets_;     // [outputs][stride of batch_]
  bool is_whole_ = true;
};

void CpuFieldFitter::fill(const FieldFitRequest& request) {
  batch_.begin(request.count);
  batch_.begin_gradients();
  targets_.resize_discard(shape_.outputs * batch_.stride());
  for_each_part(pool_, 0, request.count, kSamplePart, [&](std::size_t from, std::size_t to) {
    request.fill({.first = from,
                  .count = to - from,
                  .positions = batch_.positions() + from,
                  .values = targets_.data() + from,
                  .stride = batch_.stride()});
  });
}

/// The losses of the samples [from, to), and their gradients.
template <FieldLoss LOSS>
LossSums CpuFieldFitter::grade_part(std::size_t from, std::size_t to, float scale) {
  LossSums sums;
  const std::size_t stride = batch_.stride(), outputs = shape_.outputs;
  for (std::size_t i = from; i < to; ++i) {
    const auto luminance = color_luminance<float>(
        static_cast<int>(outputs),
        [&](std::size_t channel) { return batch_.values()[channel * stride + i]; });
    for (std::size_t c = 0; c < outputs; ++c) {
      const std::size_t at = c * stride + i;
      const float value = batch_.values()[at];
      const auto loss = field_loss<LOSS>(value, targets_[at], luminance);
      const double difference = static_cast<double>(value) - static_cast<double>(targets_[at]);
      sums.loss += static_cast<double>(loss.value);
      sums.absolute += std::abs(difference);
      sums.squared += difference * difference;
      batch_.d_values()[at] = scale * loss.slope;
    }
  }
  return sums;
}

/// The losses of the batch, added in the order of its parts.
LossSums CpuFieldFitter::grade(std::size_t count) {
  std::vector<LossSums> parts((count + kSamplePart - 1) / kSamplePart);
  const float scale = 1 / static_cast<float>(count * shape_.outputs);
  visit_loss(*field_.config.loss, [&]<FieldLoss LOSS>() {
    for_each_part(pool_, 0, count, kSamplePart, [&](std::size_t from, std::size_t to) {
      parts[from / kSamplePart] = grade_part<LOSS>(from, to, scale);
    });
  });
  for (std::size_t c = 0; c < shape_.outputs; ++c) {
    float* plane = batch_.d_values() + c * batch_.stride();
    std::fill(plane + count, plane + field_plane_stride(count), 0.0f);
  }
  LossSums sums;
  for (const LossSums& part : parts) {
    sums.loss += part.loss;
    sums.absolute += part.absolute;
    sums.squared += part.squared;
  }
  return sums;
}

/// The mean eikonal loss of the batch, added in the order of its parts. Writes its gradients.
double CpuFieldFitter::grade_slopes(std::size_t count, double weight) {
  CHECK(shape_.inputs == 3);
  std::vector<double> parts((count + kSamplePart - 1) / kSamplePart);
  const auto scale = static_cast<float>(weight / static_cast<double>(count));
  const std::size_t stride = batch_.stride();
  const float* slopes = batch_.slopes();
  float* d_slopes = batch_.d_slopes();
  for_each_part(pool_, 0, count, kSamplePart, [&](std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) {
      const auto loss =
          eikonal_loss(Vec3<float>{slopes[i], slopes[stride + i], slopes[2 * stride + i]});
      sum += static_cast<double>(loss.value);
      d_slopes[i] = scale * loss.d_slope.x;
      d_slopes[stride + i] = scale * loss.d_slope.y;
      d_slopes[2 * stride + i] = scale * loss.d_slope.z;
    }
    parts[from / kSamplePart] = sum;
  });
  for (std::size_t axis = 0; axis < 3; ++axis) {
    float* plane = d_slopes + axis * stride;
    std::fill(plane + count, plane + field_plane_stride(count), 0.0f);
  }
  return std::accumulate(parts.begin(), parts.end(), 0.0) / static_cast<double>(count);
}

FieldFitResult CpuFieldFitter::step(const FieldFitRequest& request) {
  CHECK(request.count > 0);
  const auto start = SteadyClock::now();
  is_whole_ = false;
  FieldFitResult result;
  fill(request);
  result.sample_ms = ms_since(start);

  const auto forward = SteadyClock::now();
  batch_.evaluate(optimizer_.tables(), request.count);
  const LossSums sums = grade(request.count);
  const double scale = 1 / static_cast<double>(request.count * shape_.outputs);
  result.loss = sums.loss * scale;
  result.l1 = sums.absolute * scale;
  result.mse = sums.squared * scale;
  if (request.eikonal > 0) {
    batch_.find_slopes(optimizer_.tables(), request.count);
    result.eikonal = grade_slopes(request.count, request.eikonal);
    result.loss += request.eikonal * result.eikonal;
  }
  result.forward_ms = ms_since(forward);

  const auto backward = SteadyClock::now();
  const bool has_slopes = request.eikonal > 0;
  if (has_slopes) {
    batch_.differentiate_slopes(optimizer_.tables(), optimizer_.network_gradients(), request.count);
  } else {
    batch_.differentiate(optimizer_.tables(), optimizer_.network_gradients(), request.count);
  }
  result.backward_ms = ms_since(backward);

  const auto update = SteadyClock::now();
  result.non_finite = optimizer_.step(request.learning_rate,
                                      has_slopes ? batch_.slope_table_gradients(request.count)
                                                 : batch_.table_gradients(request.count));
  is_whole_ = true;
  cells_.forget();
  result.update_ms = ms_since(update);
  result.total_ms = ms_since(start);
  return result;
}

NeuralField CpuFieldFitter::field() {
  NeuralField copy = field_;
  copy.parameters = optimizer_.averaged();
  copy.training_step = optimizer_.steps();
  return copy;
}

void CpuFieldFitter::save(ByteSink& sink) const {
  sink.put(std::uint64_t{optimizer_.steps()});
  optimizer_.save(sink);
}

void CpuFieldFitter::restore(ByteSource& source) {
  is_whole_ = false;
  source.get<std::uint64_t>();  // the steps, which the optimiser counts too
  restore_optimizers(source);
  is_whole_ = true;
}

}  // namespace

std::unique_ptr<FieldFitter> make_cpu_field_fitter(NeuralField field, const CpuKernels& kernels,
                                                   ThreadPool& pool) {
  return std::make_unique<CpuFieldFitter>(std::move(field), kernels, pool);
}

}  // namespace mote
