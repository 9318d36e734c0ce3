#include "cuda/fields/network_batch.h"

#include <algorithm>

#include "cuda/kernels/fields/grid_encoding.h"
#include "cuda/kernels/fields/grid_gradients.h"
#include "cuda/kernels/fields/network_weights.h"
#include "fields/planes.h"

namespace mote::cuda {
namespace {

std::size_t batch_blocks(const FitShape& shape) {
  return static_cast<std::size_t>(network_blocks(shape.network));
}

std::size_t batch_part_lanes(const FitShape& shape, std::size_t count) {
  return network_gradient_parts(shape.network, static_cast<unsigned>(count)) * batch_blocks(shape) *
         2 * kBlockLanes;
}

std::size_t batch_space(const FitShape& shape, std::size_t count) {
  const auto samples = static_cast<unsigned>(count);
  return std::max(network_space(shape.network, samples, LayerUse::values),
                  network_space(shape.network, samples, LayerUse::gradients));
}

}  // namespace

FitShape::FitShape(const NeuralField& field)
    : encoding(field),
      layout(simple_field_layout(field.application, field.config)),
      network(network_shape(layout.network, mlp_padded(layout.network.inputs) / kBlockValues)),
      inputs(static_cast<std::size_t>(field_inputs(field.application))),
      outputs(static_cast<std::size_t>(field_outputs(field.application))) {}

NetworkBatch::NetworkBatch(const NeuralField& field, cudaStream_t stream)
    : shape_(field), stream_(stream), encoding_(shape_.encoding, stream) {
  weights_.resize_discard(batch_blocks(shape_) * kBlockLanes);
  transposed_.resize_discard(batch_blocks(shape_) * kBlockLanes);
}

void NetworkBatch::begin(std::size_t count) {
  count_ = count;
  stride_ = field_plane_stride(count);
  values_.resize_discard(shape_.outputs * stride_);
  d_values_.resize_discard(values_.size());
  features_.resize_discard(static_cast<std::size_t>(shape_.encoding.pairs()) * stride_);
  d_features_.resize_discard(features_.size());
  parts_.resize_discard(batch_part_lanes(shape_, count));
  space_.resize_discard(batch_space(shape_, count));
}

std::size_t NetworkBatch::bytes_for(const FitShape& shape, std::size_t count) {
  const std::size_t words =
      2 * shape.outputs + 2 * static_cast<std::size_t>(shape.encoding.pairs());
  return field_plane_stride(count) * words * 4 + batch_part_lanes(shape, count) * sizeof(float4) +
         batch_space(shape, count) * sizeof(uint4);
}

void NetworkBatch::enqueue_weights(const DeviceOptimizer& parameters) {
  run_network_weights({.shape = shape_.network,
                       .weights = parameters.networks(),
                       .padded_inputs = shape_.padded_inputs(),
                       .grid_features = 0,
                       .blocks = weights_.data(),
                       .transposed = transposed_.data()},
                      stream_);
}

NetworkArgs NetworkBatch::network_args() {
  return {.shape = shape_.network,
          .weights = weights_.data(),
          .features = features_.data(),
          .planes = shape_.encoding.pairs(),
          .values = values_.data(),
          .outputs = static_cast<int>(shape_.outputs),
          .count = static_cast<unsigned>(count_),
          .stride = stride_,
          .space = space_.data()};
}

void NetworkBatch::enqueue_values(const DeviceOptimizer& parameters, const float* positions) {
  run_grid_encoding({.config = shape_.encoding.grid(),
                     .levels = encoding_.levels(),
                     .table = parameters.table(),
                     .positions = positions,
                     .count = static_cast<unsigned>(count_),
                     .stride = stride_,
                     .features = features_.data(),
                     .parts = encoding_.parts()},
                    stream_);
  run_network_forward(network_args(), stream_);
}

NetworkGradientArgs NetworkBatch::gradient_args(float loss_scale) {
  return {.forward = network_args(),
          .transposed = transposed_.data(),
          .d_values = d_values_.data(),
          .loss_scale = loss_scale,
          .d_features = d_features_.data(),
          .parts = parts_.data(),
          .part_count = network_gradient_parts(shape_.network, static_cast<unsigned>(count_))};
}

void NetworkBatch::enqueue_network_gradients(float loss_scale, DeviceOptimizer& parameters) {
  const NetworkGradientArgs args = gradient_args(loss_scale);
  run_network_gradients(args, stream_);
  run_weight_gradients({.shape = shape_.network,
                        .parts = parts_.data(),
                        .part_count = args.part_count,
                        .padded_inputs = shape_.padded_inputs(),
                        .loss_scale = loss_scale,
                        .gradients = parameters.network_gradients()},
                       stream_);
}

void NetworkBatch::enqueue_table_gradients(const float* positions, float loss_scale,
                                           DeviceOptimizer& parameters) {
  run_grid_gradients({.config = shape_.encoding.grid(),
                      .levels = encoding_.levels(),
                      .positions = positions,
                      .d_features = d_features_.data(),
                      .count = static_cast<unsigned>(count_),
                      .stride = stride_,
                      .loss_scale = loss_scale,
                      .sums = parameters.table_sums(),
                      .non_finite = parameters.non_finite(),
                      .parts = encoding_.parts()},
                     parameters.sums_kind(), stream_);
}

std::size_t NetworkBatch::memory_bytes() const {
  return encoding_.memory_bytes() + weights_.bytes() + transposed_.bytes() + values_.bytes() +
         d_values_.bytes() + features_.bytes() + d_features_.bytes() + parts_.bytes() +
         space_.bytes();
}

}  // namespace mote::cuda
