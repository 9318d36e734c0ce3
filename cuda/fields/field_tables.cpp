#include "cuda/fields/field_tables.h"

#include <fmt/format.h>

#include <span>
#include <variant>
#include <vector>

#include "core/error.h"
#include "cuda/kernels/fields/grid_encoding.h"
#include "cuda/kernels/fields/network_forward.h"
#include "cuda/kernels/fields/network_weights.h"
#include "fields/applications/field_layout.h"
#include "math/half.h"

namespace mote::cuda {

std::string missing_grid_kernels(const NeuralField& field) {
  const EncodingConfig& encoding = *field.config.encoding;
  if (encoding.parts.size() != 1) return "encodings of several parts are not built for CUDA";
  const EncodingPart& part = encoding.parts.front();
  const auto* grid = std::get_if<GridEncoding>(&part.kind);
  if (grid == nullptr) return "encodings other than grids are not built for CUDA";
  if (part.first_input != 0 || part.inputs != field_inputs(field.application)) {
    return "grids over some of the inputs are not built for CUDA";
  }
  if (has_grid_kernels(grid->grid)) return {};
  return fmt::format(
      "grids of {} dimensions with {} features are not built for CUDA, only of 2 or "
      "3 dimensions with 2, 4 or 8 features",
      grid->grid.dimensions, grid->grid.features);
}

namespace {

std::string missing_network(const NeuralField& field) {
  if (field.config.network->kind == NetworkKind::perceptron) return {};
  return "layers of Gaussians are not built for CUDA";
}

/// The grid's parameters as halves, with an even number of entries.
std::vector<std::uint16_t> table_of(std::span<const float> parameters, int features) {
  std::vector<std::uint16_t> table;
  const auto pair = 2 * static_cast<std::size_t>(features);
  table.reserve((parameters.size() + pair - 1) / pair * pair);
  for (const float value : parameters) table.push_back(to_half(value));
  table.resize(table.capacity());
  return table;
}

}  // namespace

std::string missing_kernels(const NeuralField& field) {
  CHECK(field.application != FieldApplication::nerf);
  const std::string encoding = missing_grid_kernels(field);
  return encoding.empty() ? missing_network(field) : encoding;
}

DeviceTables::DeviceTables(const NeuralField& field, cudaStream_t stream)
    : grid_(std::get<GridEncoding>(field.config.encoding->parts.front().kind).grid),
      outputs_(field_outputs(field.application)) {
  CHECK(missing_kernels(field).empty());
  const SimpleFieldLayout layout = simple_field_layout(field.application, field.config);
  shape_ = network_shape(layout.network, lane_order_blocks(grid_.levels, grid_.features));
  const std::vector<GridLevel> levels = grid_levels(grid_);
  levels_.resize_discard(levels.size());
  levels_.upload(levels, stream);
  const std::span parameters(field.parameters);
  const std::vector<std::uint16_t> table =
      table_of(parameters.subspan(layout.encoding_first), grid_.features);
  table_.resize_discard(table.size());
  table_.upload(table, stream);
  DeviceBuffer<float> floats("the weights of a network");
  floats.resize_discard(layout.encoding_first);
  floats.upload(parameters.first(layout.encoding_first), stream);
  weights_.resize_discard(static_cast<std::size_t>(network_blocks(shape_) * kBlockLanes));
  space_.resize_discard(field_space(shape_));
  run_network_weights({.shape = shape_,
                       .weights = floats.data(),
                       .padded_inputs = mlp_padded(layout.network.inputs),
                       .grid_features = grid_.features,
                       .blocks = weights_.data(),
                       .transposed = nullptr},
                      stream);
  check(cudaStreamSynchronize(stream), "copying a neural field");
}

FieldTables DeviceTables::tables() const {
  return {.grid = grid_,
          .levels = levels_.data(),
          .table = table_.data(),
          .shape = shape_,
          .weights = weights_.data(),
          .outputs = outputs_,
          .space = space_.data()};
}

std::size_t DeviceTables::memory_bytes() const {
  return levels_.bytes() + table_.bytes() + weights_.bytes() + space_.bytes();
}

}  // namespace mote::cuda
