#pragma once

// The averaged parameters of a field with one network in training, as kernels read them.

#include <optional>

#include "cuda/fields/free_memory.h"
#include "cuda/fields/network_batch.h"
#include "cuda/kernels/fields/field_values.h"
#include "cuda/kernels/fields/network_weights.h"

namespace mote::cuda {

class AveragedTables {
 public:
  AveragedTables(const FitShape& shape, cudaStream_t stream)
      : shape_(network_shape(shape.layout.network, shape.encoding.lane_blocks())),
        stream_(stream) {}

  /// The tables after the optimiser's last step, enqueued if they are not from it. Throws Error if
  /// memory is insufficient.
  FieldTables tables(const NetworkBatch& batch, DeviceOptimizer& optimizer) {
    if (step_ != optimizer.steps()) {
      with_remedy([&] { make(batch.shape(), optimizer); }, remedy_of_field);
    }
    return {.grid = batch.shape().encoding.grid(),
            .levels = batch.encoding().levels(),
            .table = optimizer.has_averages() ? table_.data() : optimizer.table(),
            .shape = shape_,
            .weights = weights_.data(),
            .outputs = static_cast<int>(batch.shape().outputs),
            .space = space_.data(),
            .parts = batch.encoding().parts()};
  }
  void forget() { step_.reset(); }

 private:
  void make(const FitShape& shape, DeviceOptimizer& optimizer) {
    weights_.resize_discard(static_cast<std::size_t>(network_blocks(shape_) * kBlockLanes));
    space_.resize_discard(field_space(shape_));
    const float* networks = optimizer.networks();
    if (optimizer.has_averages()) {
      networks_.resize_discard(shape.layout.encoding_first);
      table_.resize_discard(optimizer.table_size());
      optimizer.enqueue_averages(networks_.data(), table_.data());
      networks = networks_.data();
    }
    run_network_weights({.shape = shape_,
                         .weights = networks,
                         .padded_inputs = shape.padded_inputs(),
                         .grid_features = shape.encoding.lane_features(),
                         .blocks = weights_.data(),
                         .transposed = nullptr},
                        stream_);
    step_ = optimizer.steps();
  }

  NetworkShape shape_;
  cudaStream_t stream_;
  std::optional<std::uint32_t> step_;  // of the tables
  DeviceBuffer<float> networks_{"averages of a network"};
  DeviceBuffer<std::uint16_t> table_{"averages of a grid"};
  DeviceBuffer<uint4> weights_{"the weights of a network"}, space_{"the layers of a network"};
};

}  // namespace mote::cuda
