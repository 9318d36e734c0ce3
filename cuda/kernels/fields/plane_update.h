#pragma once

// The optimiser of a deformation field: gradients of its parameters, losses of its planes, Adam.

#include <cuda_runtime.h>

#include <cstddef>

#include "fields/encodings/hexplane_layout.h"

namespace mote::cuda {

/// Gradients out of their sums, without the scale of gradient_scale().
struct FieldGradientArgs {
  float* gradients;          // [parameters]: of matrices, with the scale; of planes, written
  unsigned long long* sums;  // [parameters of planes], of run_hexplane_gradients()
  std::size_t planes_first, parameters;
  float factor;             // gradient_of_sum()
  const unsigned* largest;  // on the device, see gradient_scale()
};
void run_field_gradients(const FieldGradientArgs& args, cudaStream_t stream);

/// Adds the gradients of the losses of the planes, see hex_smoothness().
struct PlaneLossArgs {
  const HexLevel* levels;  // on the device
  int level_count, features;
  std::size_t parameters;  // of all planes
  const float* planes;
  float* gradients;          // [parameters]
  float space, time, still;  // weights
};
void run_plane_losses(const PlaneLossArgs& args, cudaStream_t stream);

/// A step of Adam (math/adam.h). Parameters whose gradient is not finite stay.
struct ParameterStepArgs {
  float *values, *first, *second;
  const float* gradients;
  std::size_t planes_first, parameters;
  float network_rate, plane_rate, inverse_root;  // see AdamStep
};
void run_parameter_step(const ParameterStepArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
