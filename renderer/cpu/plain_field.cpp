#include "cpu/plain_field.h"

#include <algorithm>
#include <variant>

#include "core/elapsed.h"
#include "core/error.h"
#include "cpu/for_each_part.h"
#include "fields/part_encoding.h"

namespace mote {

PlainShape::PlainShape(const NeuralField& field)
    : config(field.config),
      layout(simple_field_layout(field.application, field.config)),
      layers(layout.gaussians ? std::vector{layout.gaussians->weights}
                              : mlp_layers(layout.network)),
      inputs(static_cast<std::size_t>(field_inputs(field.application))),
      outputs(static_cast<std::size_t>(field_outputs(field.application))),
      features(static_cast<std::size_t>(mlp_padded(layout.network.inputs))),
      is_general(layout.gaussians.has_value() ||
                 std::max(layout.network.neurons, mlp_padded(layout.network.inputs)) >
                     kMostMlpWidth ||
                 layout.network.neurons % kMlpAlignment != 0) {
  std::size_t feature = 0, parameter = 0;
  for (const EncodingPart& part : config.encoding->parts) {
    const auto* grid = std::get_if<GridEncoding>(&part.kind);
    if (grid != nullptr) {
      grids.push_back({.config = grid->grid,
                       .levels = grid_levels(grid->grid),
                       .first_input = static_cast<std::size_t>(part.first_input),
                       .first_feature = feature,
                       .first_parameter = parameter});
      parameter += grid_parameters(grid->grid);
    }
    feature += static_cast<std::size_t>(encoding_outputs(part));
  }
}

PlainField::PlainField(const PlainShape& shape, const CpuKernels& kernels, ThreadPool& pool)
    : shape_(shape), kernels_(kernels), pool_(pool) {}

void PlainField::begin(std::size_t count) {
  const std::size_t stride = field_plane_stride(count);
  if (stride <= stride_) return;
  stride_ = stride;
  positions_.resize_discard(shape_.inputs * stride_);
  std::fill(positions_.data(), positions_.data() + positions_.size(), 0.0f);
  features_.resize_discard(shape_.features * stride_);
  values_.resize_discard(shape_.outputs * stride_);
}

GridParams PlainField::grid_params(const PlainShape::Grid& grid, NerfTables tables, float* out) {
  return {.dimensions = grid.config.dimensions,
          .features = grid.config.features,
          .interpolation = grid.config.interpolation,
          .levels = grid.levels.data(),
          .table = tables.table + grid.first_parameter,
          .positions = positions_.data() + grid.first_input * stride_,
          .out = out,
          .stride = stride_};
}

GridBackwardParams PlainField::grid_backward_params(const PlainShape::Grid& grid,
                                                    NerfGradients gradients,
                                                    const float* d_features, std::size_t count) {
  return {.dimensions = grid.config.dimensions,
          .features = grid.config.features,
          .interpolation = grid.config.interpolation,
          .levels = grid.levels.data(),
          .positions = positions_.data() + grid.first_input * stride_,
          .d_features = d_features + grid.first_feature * stride_,
          .count = count,
          .stride = stride_,
          .d_table = gradients.table + grid.first_parameter};
}

void PlainField::encode(NerfTables tables, std::size_t end) {
  const std::size_t parts = (end + kSamplePart - 1) / kSamplePart;
  for (const PlainShape::Grid& grid : shape_.grids) {
    const GridParams params =
        grid_params(grid, tables, features_.data() + grid.first_feature * stride_);
    // A level after the other, so that its table is in a cache.
    pool_.run(parts * grid.levels.size(), [&](std::size_t task, int) {
      const std::size_t first = task % parts * kSamplePart;
      kernels_.encode_grid(params, static_cast<int>(task / parts), first,
                           std::min(first + kSamplePart, end));
    });
  }
  encode_analytic(end);
}

/// The parts without parameters, and the padding.
void PlainField::encode_analytic(std::size_t end) {
  const EncodingConfig& encoding = *shape_.config.encoding;
  const auto own = static_cast<std::size_t>(encoding.outputs());
  const bool only_grids = shape_.grids.size() == encoding.parts.size();
  if (only_grids && own == shape_.features) return;
  for_each_part(pool_, 0, end, kSamplePart, [&](std::size_t from, std::size_t to) {
    std::size_t feature = 0;
    for (const EncodingPart& part : encoding.parts) {
      if (!std::holds_alternative<GridEncoding>(part.kind)) {
        encode_part(part, positions_.data(), stride_, from, to,
                    features_.data() + feature * stride_);
      }
      feature += static_cast<std::size_t>(encoding_outputs(part));
    }
    for (; feature < shape_.features; ++feature) {
      float* plane = features_.data() + feature * stride_;
      std::fill(plane + from, plane + to, only_grids ? 0.0f : 1.0f);
    }
  });
}

NerfNetworkParams PlainField::network_params(NerfTables tables) {
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

GeneralNetworkParams PlainField::general_params(NerfTables tables) {
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

void PlainField::evaluate(NerfTables tables, std::size_t count) {
  const std::size_t end = field_plane_stride(count);
  if (end == 0) return;
  CHECK(end <= stride_);
  const auto start = SteadyClock::now();
  encode(tables, end);
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

void PlainField::differentiate_network(NerfTables tables, std::size_t from, std::size_t to,
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

void PlainField::differentiate(NerfTables tables, NerfGradients gradients, std::size_t count) {
  const std::size_t end = field_plane_stride(count), weights = shape_.layout.encoding_first;
  if (end == 0) return;
  if (!shape_.is_general) {
    transposed_.resize_discard(weights);
    transpose_layers(shape_.layers, tables.networks, transposed_.data());
  }
  part_gradients_.add(pool_, end, weights, gradients.networks,
                      [&](float* own, std::size_t from, std::size_t to) {
                        differentiate_network(tables, from, to, own);
                      });
  for (const PlainShape::Grid& grid : shape_.grids) {
    const GridBackwardParams params =
        grid_backward_params(grid, gradients, features_.data(), count);
    // Fine levels take longest and come first.
    const std::size_t levels = grid.levels.size();
    pool_.run(levels, [&](std::size_t task, int) {
      kernels_.encode_grid_backward(params, static_cast<int>(levels - 1 - task));
    });
  }
}

void PlainField::evaluate_all(NerfTables tables, const float* positions, std::size_t count,
                              std::size_t stride, float* values) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 17;
  begin(std::min(count, kAtOnce));
  for (std::size_t first = 0; first < count; first += kAtOnce) {
    const std::size_t own = std::min(kAtOnce, count - first);
    for (std::size_t i = 0; i < shape_.inputs; ++i) {
      std::copy_n(positions + i * stride + first, own, positions_.data() + i * stride_);
    }
    evaluate(tables, own);
    for (std::size_t i = 0; i < shape_.outputs; ++i) {
      std::copy_n(values_.data() + i * stride_, own, values + i * stride + first);
    }
  }
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
