#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/kernels/fields/network_blocks.h"

namespace mote::cuda {

/// Weights as halves in the order of tensor cores.
struct NetworkWeightsArgs {
  NetworkShape shape;
  const float* weights;  // in the layout of mlp_layers()
  int padded_inputs;     // of the layout
  int grid_features;     // the first layer's inputs are in lane_order_input(); 0: as in the layout
  uint4* blocks;         // [network_blocks()][lanes]: of each layer [outputs][inputs]
  uint4* transposed;     // the blocks of the transposed matrices: [inputs][outputs]; null: none
};

void run_network_weights(const NetworkWeightsArgs& args, cudaStream_t stream);

/// Sums of the gradients of blocks, as backward writes them, to gradients of weights.
struct WeightGradientArgs {
  NetworkShape shape;
  const float4* parts;  // [parts][network_blocks()][2][lanes]: fragments c, outputs by inputs
  unsigned part_count;
  int padded_inputs;
  float loss_scale;
  float* gradients;  // in the layout of mlp_layers(), each divided by the loss scale
};

/// Adds the parts in their order.
void run_weight_gradients(const WeightGradientArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
