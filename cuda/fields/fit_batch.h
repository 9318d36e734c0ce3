#pragma once

// The samples of a training step on the device: encoding, network and loss, and back to the
// gradients of all parameters.

#include <cstddef>
#include <cstdint>

#include "backend/field_fitter.h"
#include "core/parallel.h"
#include "cuda/fields/device_optimizer.h"
#include "cuda/fields/fit_slopes.h"
#include "cuda/kernels/fields/fit_loss.h"
#include "cuda/kernels/fields/network_forward.h"
#include "cuda/runtime/runtime.h"
#include "fields/applications/field_layout.h"

namespace mote::cuda {

/// The parts of a field in training that do not change.
struct FitShape {
  explicit FitShape(const NeuralField& field);

  GridConfig grid;
  FieldLoss loss;
  SimpleFieldLayout layout;
  NetworkShape network;  // with its inputs in the order of the layout
  int planes;            // pairs of features
  std::size_t inputs, outputs;
};

/// Bytes on the device for the samples of a step, before they are taken.
std::size_t fit_batch_bytes(const FitShape& shape, std::size_t count, bool with_slopes);

class FitBatch {
 public:
  FitBatch(const NeuralField& field, cudaStream_t stream);

  const FitShape& shape() const { return shape_; }
  /// On the device.
  const GridLevel* levels() const { return levels_.data(); }

  /// Makes space for a step. `eikonal`: FieldFitRequest::eikonal. Throws Error if memory is
  /// insufficient.
  void begin(std::size_t count, double eikonal);
  /// Calls the request's function for all samples, and enqueues their copies.
  void fill(const FieldFitRequest& request, ThreadPool& pool);
  /// Enqueues values and losses of the samples.
  void enqueue_forward(const DeviceOptimizer& parameters);
  /// Enqueues the gradients of all parameters.
  void enqueue_backward(DeviceOptimizer& parameters);
  /// Factor from sums of the grid's gradients to gradients.
  float table_factor(GradientSums kind) const;
  /// Enqueues the weights in the order of the kernels. Needed before enqueue_forward() when they
  /// have changed.
  void enqueue_weights(const DeviceOptimizer& parameters);
  /// Enqueues the copy of the sums of the loss, which loss_sum() gives afterwards.
  void enqueue_sums();
  double loss_sum(FitSum sum) const { return host_sums_.data()[sum]; }
  /// The same of the eikonal loss, if it has a weight.
  double eikonal_sum() const { return slopes_.loss_sum(); }

  std::size_t memory_bytes() const;  // on the device
  std::size_t host_bytes() const;    // pinned

 private:
  NetworkArgs network_args();
  SlopedSamples sloped_samples();
  float loss_scale() const;

  const FitShape shape_;
  cudaStream_t stream_;
  std::size_t count_ = 0, stride_ = 0;
  float eikonal_ = 0;
  DeviceBuffer<GridLevel> levels_{"the levels of a grid"};
  DeviceBuffer<uint4> weights_{"the weights of a network"},
      transposed_{"the transposed weights of a network"};
  PinnedBuffer<float> filled_{"samples of a step"};  // positions, then targets
  DeviceBuffer<float> samples_{"samples of a step"};
  DeviceBuffer<float> values_{"values of a field"}, d_values_{"gradients of a field's values"};
  DeviceBuffer<std::uint32_t> features_{"features of a step"},
      d_features_{"gradients of a step's features"};
  DeviceBuffer<float4> parts_{"gradients of a network"};
  DeviceBuffer<uint4> space_{"the layers of a network"};
  DeviceBuffer<float> loss_parts_{"sums of a loss"};
  DeviceBuffer<double> sums_{"sums of a loss"};
  PinnedBuffer<double> host_sums_{"sums of a loss"};
  FitSlopes slopes_;
};

}  // namespace mote::cuda
