#pragma once

// The eikonal loss of a field in training on the device: slopes of the samples, and the gradients
// by all parameters of the values' loss and of the slopes' (cuda/kernels/fields/grid_slopes.h).

#include <cstddef>
#include <cstdint>
#include <string>

#include "cuda/fields/device_optimizer.h"
#include "cuda/kernels/fields/grid_slopes.h"
#include "cuda/kernels/fields/layer_network.h"
#include "cuda/runtime/runtime.h"
#include "fields/neural_field.h"

namespace mote::cuda {

/// The first part of a field that has no kernels for the eikonal loss, as a phrase; empty if all
/// have.
std::string missing_slope_kernels(const NeuralField& field);

/// The samples of a step, whose values and gradients by these are known.
struct SlopedSamples {
  NetworkGradientArgs network;  // without parts and space
  GridConfig grid;
  const GridLevel* levels;
  const EncodedParts* parts;
  const float* positions;  // [3][stride]
  int padded_inputs;       // of the layout
};

class FitSlopes {
 public:
  explicit FitSlopes(cudaStream_t stream) : stream_(stream) {}

  /// Makes space for a step. Throws Error if memory is insufficient.
  void begin(const NetworkShape& shape, int planes, std::size_t count, std::size_t stride);
  /// Enqueues the slopes, and the gradients of their loss, times `weight` / count.
  void enqueue_loss(const SlopedSamples& samples, float weight, const DeviceOptimizer& parameters);
  /// Enqueues the gradients of all parameters.
  void enqueue_gradients(const SlopedSamples& samples, DeviceOptimizer& parameters);
  /// Enqueues the copy of the loss's sums, of which loss_sum() is the sum afterwards.
  void enqueue_sums();
  double loss_sum() const;

  std::size_t memory_bytes() const;  // on the device
  std::size_t host_bytes() const { return host_parts_.bytes(); }
  /// memory_bytes() before they are taken.
  static std::size_t bytes_for(const NetworkShape& shape, int planes, std::size_t count);

 private:
  /// The network with memory of this.
  NetworkGradientArgs network_args(const SlopedSamples& samples, LayerUse use);

  cudaStream_t stream_;
  PinnedBuffer<float> host_ones_{"ones"};
  DeviceBuffer<float> ones_{"ones"};  // [stride]: gradients of an output by itself
  DeviceBuffer<float> velocities_{"gradients of a field's slopes"};
  DeviceBuffer<std::uint32_t> d_first_{"gradients of an output"}, rates_{"rates of features"};
  DeviceBuffer<uint4> space_{"the layers of a network"};
  DeviceBuffer<float4> parts_{"gradients of a network"};
  DeviceBuffer<double> loss_parts_{"sums of a loss"};
  PinnedBuffer<double> host_parts_{"sums of a loss"};
};

}  // namespace mote::cuda
