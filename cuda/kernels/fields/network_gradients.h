#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/network_forward.h"

namespace mote::cuda {

/// The gradients of a network at some samples. They are halves between layers; `loss_scale` keeps
/// small ones from becoming zero.
struct NetworkGradientArgs {
  NetworkArgs forward;        // `values` is not used; `space`: for gradients
  const uint4* transposed;    // NetworkWeightsArgs::transposed
  const float* d_values;      // [outputs][stride]
  float loss_scale;           // factor on d_values
  std::uint32_t* d_features;  // [planes][stride]: halves, times the loss scale; null: not needed
  float4* parts;              // [part_count][network_blocks()][2][lanes]; written
  unsigned part_count;        // at most network_gradient_parts()
};

/// The best number of parts for the sums of `count` samples. It depends on the device's shared
/// memory, not on its number of multiprocessors.
unsigned network_gradient_parts(const NetworkShape& shape, unsigned count);

/// Computes the gradients. Activations are computed again, since they are many times the bytes of
/// the features. run_weight_gradients() adds up the parts.
void run_network_gradients(const NetworkGradientArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
