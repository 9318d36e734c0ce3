#include "cpu/plain_field.h"

#include <algorithm>

#include "core/elapsed.h"
#include "core/error.h"
#include "cpu/for_each_part.h"

namespace mote {
namespace {

constexpr std::size_t kEvaluatedAtOnce = std::size_t{1} << 17;  // positions

}  // namespace

PlainShape::PlainShape(const NeuralField& field)
    : config(field.config),
      layout(simple_field_layout(field.application, field.config)),
      layers(layout.gaussians ? std::vector{layout.gaussians->weights}
                              : mlp_layers(layout.network)),
      encoding(*config.encoding, static_cast<std::size_t>(mlp_padded(layout.network.inputs))),
      inputs(static_cast<std::size_t>(field_inputs(field.application))),
      outputs(static_cast<std::size_t>(field_outputs(field.application))),
      is_general(layout.gaussians.has_value() ||
                 std::max(hidden_width(layout.network), mlp_padded(layout.network.inputs)) >
                     kMostMlpWidth ||
                 hidden_width(layout.network) % kMlpAlignment != 0) {}

PlainField::PlainField(const PlainShape& shape, const CpuKernels& kernels, ThreadPool& pool)
    : shape_(shape), kernels_(kernels), pool_(pool) {}

void PlainField::begin(std::size_t count) {
  const std::size_t stride = field_plane_stride(count);
  if (stride <= stride_) return;
  stride_ = stride;
  positions_.resize_discard(shape_.inputs * stride_);
  std::fill(positions_.data(), positions_.data() + positions_.size(), 0.0f);
  features_.resize_discard(shape_.encoding.features * stride_);
  values_.resize_discard(shape_.outputs * stride_);
}

NerfNetworkParams PlainField::network_params(FieldParameters tables) {
  NerfNetworkParams params{};
  params.density_layers = shape_.layers.data();
  params.density_layer_count = static_cast<int>(shape_.layers.size());
  params.density_weights = tables.networks;
  params.features = features_.data();
  params.raw = values_.data();
  params.stride = stride_;
  params.outputs = shape_.outputs;
  return params;
}

GeneralNetworkParams PlainField::general_params(FieldParameters tables) {
  const auto& gaussians = shape_.layout.gaussians;
  return {.gaussians = gaussians ? &*gaussians : nullptr,
          .layers = shape_.layers.data(),
          .layer_count = shape_.layers.size(),
          .weights = tables.networks,
          .features = features_.data(),
          .values = values_.data(),
          .stride = stride_,
          .outputs = shape_.outputs};
}

void PlainField::evaluate(FieldParameters tables, std::size_t count) {
  const std::size_t end = field_plane_stride(count);
  if (end == 0) return;
  CHECK(end <= stride_);
  const auto start = SteadyClock::now();
  encode_positions(shape_.encoding, kernels_, pool_, tables.table, samples(features_.data()), 0,
                   end);
  const auto encoded = SteadyClock::now();
  times_.encode_ms += ms_since(start);
  for_each_part(pool_, 0, end, kSamplePart, [&](std::size_t from, std::size_t to) {
    if (shape_.is_general) {
      kernels_.general_forward(general_params(tables), from, to);
    } else {
      kernels_.nerf_forward(network_params(tables), from, to);
    }
  });
  times_.network_ms += ms_since(encoded);
}

void PlainField::differentiate_network(FieldParameters tables, std::size_t from, std::size_t to,
                                       float* d_weights) {
  if (shape_.is_general) {
    kernels_.general_backward({.forward = general_params(tables),
                               .d_values = d_values_.data(),
                               .d_features = features_.data(),
                               .d_weights = d_weights},
                              from, to);
    return;
  }
  kernels_.nerf_backward({.forward = network_params(tables),
                          .density_transposed = transposed_.data(),
                          .color_transposed = nullptr,
                          .d_raw = d_values_.data(),
                          .d_features = features_.data(),
                          .d_density_weights = d_weights,
                          .d_color_weights = nullptr},
                         from, to);
}

void PlainField::differentiate(FieldParameters tables, float* d_network, std::size_t count) {
  const std::size_t end = field_plane_stride(count), weights = shape_.layout.encoding_first;
  if (end == 0) return;
  if (!shape_.is_general) {
    transposed_.resize_discard(weights);
    transpose_layers(shape_.layers, tables.networks, transposed_.data());
  }
  part_gradients_.add(pool_, end, weights, d_network,
                      [&](float* own, std::size_t from, std::size_t to) {
                        differentiate_network(tables, from, to, own);
                      });
}

TableGradients PlainField::table_gradients(std::size_t count) {
  return mote::table_gradients(shape_.encoding, kernels_, samples(features_.data()), count);
}

void PlainField::evaluate_all(FieldParameters tables, const float* positions, std::size_t count,
                              std::size_t stride, float* values) {
  begin(std::min(count, kEvaluatedAtOnce));
  for (std::size_t first = 0; first < count; first += kEvaluatedAtOnce) {
    const std::size_t own = std::min(kEvaluatedAtOnce, count - first);
    for (std::size_t i = 0; i < shape_.inputs; ++i) {
      std::copy_n(positions + i * stride + first, own, positions_.data() + i * stride_);
    }
    evaluate(tables, own);
    for (std::size_t i = 0; i < shape_.outputs; ++i) {
      std::copy_n(values_.data() + i * stride_, own, values + i * stride + first);
    }
  }
}

std::size_t PlainField::evaluation_bytes(std::size_t count) const {
  const std::size_t planes = shape_.inputs + shape_.encoding.features + shape_.outputs;
  return planes * field_plane_stride(std::min(count, kEvaluatedAtOnce)) * sizeof(float);
}

std::size_t PlainField::memory_bytes() const {
  std::size_t floats = transposed_.size();
  for (const Buffer<float>* buffer : {&positions_, &features_, &values_, &d_values_, &slopes_,
                                      &d_slopes_, &d_features_, &rates_, &first_output_}) {
    floats += buffer->size();
  }
  return floats * sizeof(float) + part_gradients_.memory_bytes();
}

}  // namespace mote
