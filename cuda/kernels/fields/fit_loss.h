#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "fields/networks/loss.h"

namespace mote::cuda {

/// Sums over samples and outputs.
enum FitSum { kLossSum, kFitAbsoluteSum, kFitSquaredSum, kFitSums };

/// The loss of a field's outputs at some samples.
struct FitLossArgs {
  FieldLoss loss;
  const float* values;   // [outputs][stride]
  const float* targets;  // [outputs][stride]
  float* d_values;       // [outputs][stride]; written up to `count`
  unsigned count;        // samples
  std::size_t stride;
  int outputs;
  float scale;   // factor of the gradients
  float most;    // gradients are clamped to +-this value
  float* parts;  // [fit_loss_parts(count)][kFitSums]; written
  double* sums;  // [kFitSums]: of the loss, and of absolute and squared differences; written
};

/// Number of parts that the sums are added up in. It does not depend on the device.
unsigned fit_loss_parts(unsigned count);

/// Computes the losses, their gradients and their sums. The order of the sums is fixed.
void run_fit_loss(const FitLossArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
