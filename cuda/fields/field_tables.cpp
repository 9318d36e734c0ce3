#include "cuda/fields/field_tables.h"

#include <span>
#include <vector>

#include "core/error.h"
#include "cuda/kernels/fields/network_forward.h"
#include "cuda/kernels/fields/network_weights.h"
#include "fields/applications/field_layout.h"

namespace mote::cuda {

std::string missing_network_kernels(const NetworkConfig& network) {
  if (network.kind != NetworkKind::perceptron) return "layers of Gaussians are not built for CUDA";
  if (network.hidden_layers == 0) return "networks without hidden layers are not built for CUDA";
  return {};
}

std::string missing_kernels(const NeuralField& field) {
  CHECK(field.application != FieldApplication::nerf);
  const std::string encoding = missing_encoding_kernels(field);
  return encoding.empty() ? missing_network_kernels(*field.config.network) : encoding;
}

DeviceTables::DeviceTables(const NeuralField& field, cudaStream_t stream)
    : form_(field), encoding_(form_, stream), outputs_(field_outputs(field.application)) {
  CHECK(missing_kernels(field).empty());
  const SimpleFieldLayout layout = simple_field_layout(field.application, field.config);
  shape_ = network_shape(layout.network, form_.lane_blocks());
  const std::span parameters(field.parameters);
  const std::vector<std::uint16_t> table =
      form_.table_of(parameters.subspan(layout.encoding_first));
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
                       .grid_features = form_.lane_features(),
                       .blocks = weights_.data(),
                       .transposed = nullptr},
                      stream);
  check(cudaStreamSynchronize(stream), "copying a neural field");
}

FieldTables DeviceTables::tables() const {
  return {.grid = form_.grid(),
          .levels = encoding_.levels(),
          .table = table_.data(),
          .shape = shape_,
          .weights = weights_.data(),
          .outputs = outputs_,
          .space = space_.data(),
          .parts = encoding_.parts()};
}

std::size_t DeviceTables::memory_bytes() const {
  return encoding_.memory_bytes() + table_.bytes() + weights_.bytes() + space_.bytes();
}

}  // namespace mote::cuda
