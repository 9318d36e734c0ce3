#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/network_blocks.h"
#include "fields/networks/mlp_layout.h"

namespace mote::cuda {

inline constexpr int kMostNeurons = 128;

/// Whether there are kernels for the network: hidden layers of at most kMostNeurons, and at most 16
/// outputs. Widths between 16, 32, 64 and 128 take the time of the next one.
bool has_network_kernels(const MlpConfig& config);

/// The network, which has_network_kernels(). `input_blocks`: of the first layer.
NetworkShape network_shape(const MlpConfig& config, int input_blocks);

/// A network at some samples.
struct NetworkArgs {
  NetworkShape shape;
  const uint4* weights;           // NetworkWeightsArgs::blocks
  const std::uint32_t* features;  // [planes][stride]: pairs of inputs as halves; others are zero
  int planes;
  float* values;  // [outputs][stride]
  int outputs;    // at most 16
  unsigned count;
  std::size_t stride;
  const unsigned* known = nullptr;  // see sample_count()
};

/// Evaluates the samples. Weights stay in shared memory if they fit it, else in the caches.
void run_network_forward(const NetworkArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
