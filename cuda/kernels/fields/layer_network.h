#pragma once

// Networks layer by layer, with the values of all layers in global memory: for hidden layers whose
// values do not fit the registers of a warp, and for gradients of so many layers that their values
// do not fit the shared memory of a block.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/network_gradients.h"

namespace mote::cuda {

/// Elements of NetworkArgs::space that a launch for `count` samples needs. Samples are evaluated
/// some ten thousand at a time, so that this has a bound.
std::size_t layer_network_space(const NetworkShape& shape, unsigned count, LayerUse use);

/// The number of parts for the sums of gradients. It depends on the network and `count` only.
unsigned layer_network_parts(const NetworkShape& shape, unsigned count);

void run_layers_forward(const NetworkArgs& args, cudaStream_t stream);
void run_layers_backward(const NetworkGradientArgs& args, cudaStream_t stream);

/// Whether the second derivatives of a network are zero, so that run_rates_backward() has kernels.
bool has_rate_kernels(const NetworkShape& shape);

/// The gradients of a network of which values and, while inputs change, the first output's rate
/// have gradients.
struct NetworkRateArgs {
  NetworkGradientArgs gradients;  // with layer_network_space() and layer_network_parts()
  const std::uint32_t* rates;     // [planes][stride]: of the inputs, halves, with the loss scale
  const float* d_rates;           // [outputs][stride]: by the outputs' rates, without it
};
/// The gradients by the inputs' rates are those of the outputs by the inputs, which the caller has
/// found before the rates. CHECKs has_rate_kernels().
void run_rates_backward(const NetworkRateArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
