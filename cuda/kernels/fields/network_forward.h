#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/network_blocks.h"
#include "fields/networks/mlp_layout.h"

namespace mote::cuda {

/// The network, which has at most 16 outputs. `input_blocks`: of the first layer. Widths between
/// 16, 32, 64 and 128 take the time of the next one, those above that of the next multiple of 16.
NetworkShape network_shape(const MlpConfig& config, int input_blocks);

/// Samples that are evaluated layer by layer at a time: the values of two layers of 256 neurons
/// take 32 MB, and stay in L2.
inline constexpr unsigned kLayerSamples = 1u << 15;

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
  const unsigned* known = nullptr;   // see sample_count()
  uint4* space = nullptr;            // [network_space()]; null if that is 0
  unsigned at_once = kLayerSamples;  // samples of networks layer by layer: at most kLayerSamples
};

/// The layers that are needed, each with those before it in this list.
enum class LayerUse {
  values,
  gradients,
  rates  // and gradients by these, see NetworkRateArgs
};

/// Elements of NetworkArgs::space for `count` samples: of networks that are evaluated layer by
/// layer, since they are_wide() or have too many layers for gradients in one kernel. Rates always
/// need some.
std::size_t network_space(const NetworkShape& shape, unsigned count, LayerUse use);

/// Evaluates the samples. Weights stay in shared memory if they fit it, else in the caches.
void run_network_forward(const NetworkArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
