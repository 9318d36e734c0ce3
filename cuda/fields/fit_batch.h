#pragma once

// The samples of a training step on the device, with their targets and losses.

#include <cstddef>
#include <cstdint>

#include "backend/field_fitter.h"
#include "core/parallel.h"
#include "cuda/fields/fit_slopes.h"
#include "cuda/fields/network_batch.h"
#include "cuda/kernels/fields/fit_loss.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// Bytes on the device for the samples of a step, before they are taken.
std::size_t fit_batch_bytes(const FitShape& shape, std::size_t count, bool with_slopes);

class FitBatch {
 public:
  FitBatch(const NeuralField& field, cudaStream_t stream);

  const FitShape& shape() const { return network_.shape(); }
  const NetworkBatch& network() const { return network_; }

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
  /// NetworkBatch::enqueue_weights().
  void enqueue_weights(const DeviceOptimizer& parameters) { network_.enqueue_weights(parameters); }
  /// Enqueues the copy of the sums of the loss, which loss_sum() gives afterwards.
  void enqueue_sums();
  double loss_sum(FitSum sum) const { return host_sums_.data()[sum]; }
  /// The same of the eikonal loss, if it has a weight.
  double eikonal_sum() const { return slopes_.loss_sum(); }

  std::size_t memory_bytes() const;  // on the device
  std::size_t host_bytes() const;    // pinned

 private:
  SlopedSamples sloped_samples();
  float loss_scale() const;

  const FieldLoss loss_;
  cudaStream_t stream_;
  NetworkBatch network_;
  float eikonal_ = 0;
  PinnedBuffer<float> filled_{"samples of a step"};  // positions, then targets
  DeviceBuffer<float> samples_{"samples of a step"};
  DeviceBuffer<float> loss_parts_{"sums of a loss"};
  DeviceBuffer<double> sums_{"sums of a loss"};
  PinnedBuffer<double> host_sums_{"sums of a loss"};
  FitSlopes slopes_;
};

}  // namespace mote::cuda
