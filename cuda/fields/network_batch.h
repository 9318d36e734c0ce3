#pragma once

// An encoding and a network at many samples in training: values, and back to the gradients of all
// parameters.

#include <cstddef>
#include <cstdint>

#include "cuda/fields/device_encoding.h"
#include "cuda/fields/device_optimizer.h"
#include "cuda/kernels/fields/network_gradients.h"
#include "cuda/runtime/runtime.h"
#include "fields/applications/field_layout.h"

namespace mote::cuda {

/// The parts of a field with one network in training that do not change.
struct FitShape {
  explicit FitShape(const NeuralField& field);

  EncodingForm encoding;
  SimpleFieldLayout layout;
  NetworkShape network;  // with its inputs in the order of the layout
  std::size_t inputs, outputs;

  int padded_inputs() const { return mlp_padded(layout.network.inputs); }
};

class NetworkBatch {
 public:
  NetworkBatch(const NeuralField& field, cudaStream_t stream);

  const FitShape& shape() const { return shape_; }
  const DeviceEncoding& encoding() const { return encoding_; }

  /// Makes space for samples. Throws Error if memory is insufficient.
  void begin(std::size_t count);
  std::size_t count() const { return count_; }
  /// For planes.
  std::size_t stride() const { return stride_; }

  /// Enqueues the weights in the order of the kernels. Needed before enqueue_values() when they
  /// have changed.
  void enqueue_weights(const DeviceOptimizer& parameters);
  /// Enqueues the values of the samples. `positions`: [inputs][stride()], on the device.
  void enqueue_values(const DeviceOptimizer& parameters, const float* positions);
  /// [outputs][stride()]: values, and where the gradients by them are read.
  float* values() { return values_.data(); }
  float* d_values() { return d_values_.data(); }

  /// Enqueues the gradients by the network's parameters and by the features.
  void enqueue_network_gradients(float loss_scale, DeviceOptimizer& parameters);
  /// The same as launches take it.
  NetworkGradientArgs gradient_args(float loss_scale);
  /// Enqueues those by the table, after that.
  void enqueue_table_gradients(const float* positions, float loss_scale,
                               DeviceOptimizer& parameters);

  std::size_t memory_bytes() const;  // on the device
  /// Bytes that begin() takes, before it does.
  static std::size_t bytes_for(const FitShape& shape, std::size_t count);

 private:
  NetworkArgs network_args();

  const FitShape shape_;
  cudaStream_t stream_;
  const DeviceEncoding encoding_;
  std::size_t count_ = 0, stride_ = 0;
  DeviceBuffer<uint4> weights_{"the weights of a network"},
      transposed_{"the transposed weights of a network"};
  DeviceBuffer<float> values_{"values of a field"}, d_values_{"gradients of a field's values"};
  DeviceBuffer<std::uint32_t> features_{"features of a step"},
      d_features_{"gradients of a step's features"};
  DeviceBuffer<float4> parts_{"gradients of a network"};
  DeviceBuffer<uint4> space_{"the layers of a network"};
};

}  // namespace mote::cuda
