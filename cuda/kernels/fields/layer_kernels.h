#pragma once

// The kernels of networks layer by layer (layer_network.h), for a group of samples.

#include <cuda_runtime.h>

#include "cuda/kernels/fields/layer_space.h"
#include "cuda/kernels/fields/network_gradients.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// A product of values and weights.
struct LayerProductArgs {
  const uint4* values;   // [rows][inputs] blocks
  const uint4* weights;  // [outputs][inputs] blocks
  uint4* results;        // [rows][outputs] blocks
  int inputs, outputs;
  LayerActivation activation;  // one that is simple
  const uint4* behind;  // values after the activation, before which the results are gradients;
                        // null: the results are values after it
};

/// The gradients of a layer's weights.
struct WeightProductArgs {
  const uint4 *d, *values;  // [rows][outputs], [rows][inputs] blocks
  LayerBlocks layer;
  float4* parts;  // NetworkGradientArgs::parts
  int network_blocks;
  unsigned part_count;
  bool from_zero;  // else added
};

/// Launches for a group of samples.
struct GroupLaunch {
  const SampleGroup& group;
  const GroupLayers& layers;
  cudaStream_t stream;

  /// The network's inputs, from planes into blocks.
  void arrange(const NetworkArgs& args, uint4* inputs) const;
  void multiply(const LayerProductArgs& product, const char* name) const;
  /// Values after an activation that is not simple; or gradients before it, in place of those after
  /// it.
  void activate(const NetworkShape& shape, const uint4* arguments, uint4* results,
                bool are_gradients) const;
  /// The outputs. `values`: of the last hidden layer.
  void write(const NetworkArgs& args, const uint4* values) const;
  /// The gradients before the output activation: [rows] blocks.
  void begin(const NetworkGradientArgs& args, const uint4* values, uint4* d) const;
  /// Adds to the parts of gradients of weights.
  void add_weights(const WeightProductArgs& product) const;
  /// The gradients of the network's inputs, from blocks into planes.
  void store(const NetworkGradientArgs& args, const uint4* d) const;

 private:
  /// Threads for the lanes of a layer of `blocks`.
  LaunchShape lanes(int blocks, const char* name) const;
  /// A warp for each row of samples. `lane_words`: of shared memory.
  LaunchShape rows(unsigned lane_words, const char* name) const;
};

}  // namespace mote::cuda
