#include "cuda/fields/fit_batch.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "cuda/kernels/fields/grid_gradients.h"
#include "fields/planes.h"

namespace mote::cuda {
namespace {

constexpr std::size_t kFillPart = 1536;  // samples of a task, a multiple of 16
/// Gradients of values, times the loss scale, are at most this: hidden layers then seldom exceed
/// halves.
constexpr float kMostFitGradient = 16384;

}  // namespace

std::size_t fit_batch_bytes(const FitShape& shape, std::size_t count, bool with_slopes) {
  return field_plane_stride(count) * (shape.inputs + shape.outputs) * 4 +
         NetworkBatch::bytes_for(shape, count) +
         (with_slopes ? FitSlopes::bytes_for(shape.network, shape.encoding.pairs(), count) : 0);
}

FitBatch::FitBatch(const NeuralField& field, cudaStream_t stream)
    : loss_(*field.config.loss), stream_(stream), network_(field, stream), slopes_(stream) {
  loss_parts_.resize_discard(fit_loss_parts(kMostGradientSamples) * kFitSums);
  sums_.resize_discard(kFitSums);
  host_sums_.resize_discard(kFitSums);
}

void FitBatch::begin(std::size_t count, double eikonal) {
  eikonal_ = static_cast<float>(eikonal);
  network_.begin(count);
  filled_.resize_discard((shape().inputs + shape().outputs) * network_.stride());
  samples_.resize_discard(filled_.size());
  if (eikonal_ > 0) {
    slopes_.begin(shape().network, shape().encoding.pairs(), count, network_.stride());
  }
}

void FitBatch::fill(const FieldFitRequest& request, ThreadPool& pool) {
  const std::size_t stride = network_.stride(), count = network_.count();
  float* const positions = filled_.data();
  float* const targets = positions + shape().inputs * stride;
  pool.run((count + kFillPart - 1) / kFillPart, [&](std::size_t task, int) {
    const std::size_t first = task * kFillPart;
    request.fill({.first = first,
                  .count = std::min(kFillPart, count - first),
                  .positions = positions + first,
                  .values = targets + first,
                  .stride = stride});
  });
  samples_.upload(filled_.span(), stream_);
}

/// A power of two. The gradients of a mean over n values are 1/n of those of each: times n/8, they
/// are in the range of halves.
float FitBatch::loss_scale() const {
  return static_cast<float>(
      std::bit_floor(std::max(network_.count() * shape().outputs / 8, std::size_t{1})));
}

float FitBatch::table_factor(GradientSums kind) const {
  return gradient_of_sum(kind, static_cast<unsigned>(network_.count()), loss_scale());
}

void FitBatch::enqueue_forward(const DeviceOptimizer& parameters) {
  const std::size_t count = network_.count(), stride = network_.stride();
  network_.enqueue_values(parameters, samples_.data());
  run_fit_loss({.loss = loss_,
                .values = network_.values(),
                .targets = samples_.data() + shape().inputs * stride,
                .d_values = network_.d_values(),
                .count = static_cast<unsigned>(count),
                .stride = stride,
                .outputs = static_cast<int>(shape().outputs),
                .scale = 1 / static_cast<float>(count * shape().outputs),
                .most = kMostFitGradient / loss_scale(),
                .parts = loss_parts_.data(),
                .sums = sums_.data()},
               stream_);
  if (eikonal_ > 0) slopes_.enqueue_loss(sloped_samples(), eikonal_, parameters);
}

SlopedSamples FitBatch::sloped_samples() {
  return {.network = network_.gradient_args(loss_scale()),
          .grid = shape().encoding.grid(),
          .levels = network_.encoding().levels(),
          .parts = network_.encoding().parts(),
          .positions = samples_.data(),
          .padded_inputs = shape().padded_inputs()};
}

void FitBatch::enqueue_backward(DeviceOptimizer& parameters) {
  if (eikonal_ > 0) {
    slopes_.enqueue_gradients(sloped_samples(), parameters);
  } else {
    network_.enqueue_network_gradients(loss_scale(), parameters);
  }
  network_.enqueue_table_gradients(samples_.data(), loss_scale(), parameters);
}

void FitBatch::enqueue_sums() {
  sums_.download(host_sums_.span(), stream_);
  if (eikonal_ > 0) slopes_.enqueue_sums();
}

std::size_t FitBatch::memory_bytes() const {
  return network_.memory_bytes() + samples_.bytes() + loss_parts_.bytes() + sums_.bytes() +
         slopes_.memory_bytes();
}

std::size_t FitBatch::host_bytes() const {
  return filled_.bytes() + host_sums_.bytes() + slopes_.host_bytes();
}

}  // namespace mote::cuda
