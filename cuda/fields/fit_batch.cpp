#include "cuda/fields/fit_batch.h"

#include <algorithm>
#include <bit>
#include <variant>
#include <vector>

#include "core/error.h"
#include "cuda/kernels/fields/grid_encoding.h"
#include "cuda/kernels/fields/grid_gradients.h"
#include "cuda/kernels/fields/network_gradients.h"
#include "cuda/kernels/fields/network_weights.h"
#include "fields/planes.h"

namespace mote::cuda {
namespace {

constexpr std::size_t kFillPart = 1536;  // samples of a task, a multiple of 16
/// Gradients of values, times the loss scale, are at most this: hidden layers then seldom exceed
/// halves.
constexpr float kMostFitGradient = 16384;

std::size_t fit_blocks(const FitShape& shape) {
  return static_cast<std::size_t>(network_blocks(shape.network));
}

std::size_t fit_part_lanes(const FitShape& shape, std::size_t count) {
  return network_gradient_parts(shape.network, static_cast<unsigned>(count)) * fit_blocks(shape) *
         2 * kBlockLanes;
}

std::size_t fit_space(const FitShape& shape, std::size_t count) {
  const auto samples = static_cast<unsigned>(count);
  return std::max(network_space(shape.network, samples, LayerUse::values),
                  network_space(shape.network, samples, LayerUse::gradients));
}

}  // namespace

FitShape::FitShape(const NeuralField& field)
    : grid(std::get<GridEncoding>(field.config.encoding->parts.front().kind).grid),
      loss(*field.config.loss),
      layout(simple_field_layout(field.application, field.config)),
      network(network_shape(layout.network, mlp_padded(layout.network.inputs) / kBlockValues)),
      planes(grid.levels * grid.features / 2),
      inputs(static_cast<std::size_t>(field_inputs(field.application))),
      outputs(static_cast<std::size_t>(field_outputs(field.application))) {}

std::size_t fit_batch_bytes(const FitShape& shape, std::size_t count, bool with_slopes) {
  const std::size_t stride = field_plane_stride(count);
  const std::size_t words =
      shape.inputs + 3 * shape.outputs + 2 * static_cast<std::size_t>(shape.planes);
  return stride * words * 4 + fit_part_lanes(shape, count) * sizeof(float4) +
         fit_space(shape, count) * sizeof(uint4) +
         (with_slopes ? FitSlopes::bytes_for(shape.network, shape.planes, count) : 0);
}

FitBatch::FitBatch(const NeuralField& field, cudaStream_t stream)
    : shape_(field), stream_(stream), slopes_(stream) {
  const std::vector<GridLevel> levels = grid_levels(shape_.grid);
  levels_.resize_discard(levels.size());
  levels_.upload(levels, stream_);
  weights_.resize_discard(fit_blocks(shape_) * kBlockLanes);
  transposed_.resize_discard(fit_blocks(shape_) * kBlockLanes);
  loss_parts_.resize_discard(fit_loss_parts(kMostGradientSamples) * kFitSums);
  sums_.resize_discard(kFitSums);
  host_sums_.resize_discard(kFitSums);
  check(cudaStreamSynchronize(stream_), "copying the levels of a grid");
}

void FitBatch::begin(std::size_t count, double eikonal) {
  count_ = count;
  eikonal_ = static_cast<float>(eikonal);
  stride_ = field_plane_stride(count);
  filled_.resize_discard((shape_.inputs + shape_.outputs) * stride_);
  samples_.resize_discard(filled_.size());
  values_.resize_discard(shape_.outputs * stride_);
  d_values_.resize_discard(shape_.outputs * stride_);
  features_.resize_discard(static_cast<std::size_t>(shape_.planes) * stride_);
  d_features_.resize_discard(features_.size());
  parts_.resize_discard(fit_part_lanes(shape_, count));
  space_.resize_discard(fit_space(shape_, count));
  if (eikonal_ > 0) slopes_.begin(shape_.network, shape_.planes, count, stride_);
}

void FitBatch::fill(const FieldFitRequest& request, ThreadPool& pool) {
  float* const positions = filled_.data();
  float* const targets = positions + shape_.inputs * stride_;
  pool.run((count_ + kFillPart - 1) / kFillPart, [&](std::size_t task, int) {
    const std::size_t first = task * kFillPart;
    request.fill({.first = first,
                  .count = std::min(kFillPart, count_ - first),
                  .positions = positions + first,
                  .values = targets + first,
                  .stride = stride_});
  });
  samples_.upload(filled_.span(), stream_);
}

/// A power of two. The gradients of a mean over n values are 1/n of those of each: times n/8, they
/// are in the range of halves.
float FitBatch::loss_scale() const {
  return static_cast<float>(std::bit_floor(std::max(count_ * shape_.outputs / 8, std::size_t{1})));
}

float FitBatch::table_factor(GradientSums kind) const {
  return gradient_of_sum(kind, static_cast<unsigned>(count_), loss_scale());
}

void FitBatch::enqueue_weights(const DeviceOptimizer& parameters) {
  run_network_weights({.shape = shape_.network,
                       .weights = parameters.networks(),
                       .padded_inputs = mlp_padded(shape_.layout.network.inputs),
                       .grid_features = 0,
                       .blocks = weights_.data(),
                       .transposed = transposed_.data()},
                      stream_);
}

void FitBatch::enqueue_forward(const DeviceOptimizer& parameters) {
  const auto count = static_cast<unsigned>(count_);
  run_grid_encoding({.config = shape_.grid,
                     .levels = levels_.data(),
                     .table = parameters.table(),
                     .positions = samples_.data(),
                     .count = count,
                     .stride = stride_,
                     .features = features_.data()},
                    stream_);
  run_network_forward(network_args(), stream_);
  run_fit_loss({.loss = shape_.loss,
                .values = values_.data(),
                .targets = samples_.data() + shape_.inputs * stride_,
                .d_values = d_values_.data(),
                .count = count,
                .stride = stride_,
                .outputs = static_cast<int>(shape_.outputs),
                .scale = 1 / static_cast<float>(count_ * shape_.outputs),
                .most = kMostFitGradient / loss_scale(),
                .parts = loss_parts_.data(),
                .sums = sums_.data()},
               stream_);
  if (eikonal_ > 0) slopes_.enqueue_loss(sloped_samples(), eikonal_, parameters);
}

NetworkArgs FitBatch::network_args() {
  return {.shape = shape_.network,
          .weights = weights_.data(),
          .features = features_.data(),
          .planes = shape_.planes,
          .values = values_.data(),
          .outputs = static_cast<int>(shape_.outputs),
          .count = static_cast<unsigned>(count_),
          .stride = stride_,
          .space = space_.data()};
}

SlopedSamples FitBatch::sloped_samples() {
  return {.network = {.forward = network_args(),
                      .transposed = transposed_.data(),
                      .d_values = d_values_.data(),
                      .loss_scale = loss_scale(),
                      .d_features = d_features_.data(),
                      .parts = parts_.data(),
                      .part_count =
                          network_gradient_parts(shape_.network, static_cast<unsigned>(count_))},
          .grid = shape_.grid,
          .levels = levels_.data(),
          .positions = samples_.data(),
          .padded_inputs = mlp_padded(shape_.layout.network.inputs)};
}

void FitBatch::enqueue_backward(DeviceOptimizer& parameters) {
  const auto count = static_cast<unsigned>(count_);
  const SlopedSamples samples = sloped_samples();
  if (eikonal_ > 0) {
    slopes_.enqueue_gradients(samples, parameters);
  } else {
    run_network_gradients(samples.network, stream_);
    run_weight_gradients({.shape = shape_.network,
                          .parts = parts_.data(),
                          .part_count = samples.network.part_count,
                          .padded_inputs = samples.padded_inputs,
                          .loss_scale = loss_scale(),
                          .gradients = parameters.network_gradients()},
                         stream_);
  }
  run_grid_gradients({.config = shape_.grid,
                      .levels = levels_.data(),
                      .positions = samples_.data(),
                      .d_features = d_features_.data(),
                      .count = count,
                      .stride = stride_,
                      .loss_scale = loss_scale(),
                      .sums = parameters.table_sums(),
                      .non_finite = parameters.non_finite()},
                     parameters.sums_kind(), stream_);
}

void FitBatch::enqueue_sums() {
  sums_.download(host_sums_.span(), stream_);
  if (eikonal_ > 0) slopes_.enqueue_sums();
}

std::size_t FitBatch::memory_bytes() const {
  std::size_t bytes = levels_.bytes() + weights_.bytes() + transposed_.bytes() + parts_.bytes() +
                      sums_.bytes() + features_.bytes() + d_features_.bytes() + space_.bytes() +
                      slopes_.memory_bytes();
  for (const DeviceBuffer<float>* buffer : {&samples_, &values_, &d_values_, &loss_parts_}) {
    bytes += buffer->bytes();
  }
  return bytes;
}

std::size_t FitBatch::host_bytes() const {
  return filled_.bytes() + host_sums_.bytes() + slopes_.host_bytes();
}

}  // namespace mote::cuda
