#pragma once

// The order of a network's weights for tensor cores. A matrix is divided into blocks of 16x16; a
// block is 32 lanes with four words of two halves each, the fragments b of two products beside each
// other (cuda/runtime/matrices.h). So a warp loads a block with one access of 16 bytes a lane.
//
// Values are 16-padded: a network has 16 outputs, and inputs in whole blocks. Inputs beyond the
// layout's are zero.

#include <cstddef>
#include <cstdint>

#include "fields/networks/mlp_layout.h"
#include "lanes/lane.h"

namespace mote::cuda {

inline constexpr int kBlockValues = 16;  // rows and columns of a block
inline constexpr int kBlockLanes = 32;
inline constexpr std::size_t kBlock_bytes = 512;

/// A network of hidden layers with one width, as kernels know it.
struct NetworkShape {
  int width_blocks;   // width of the hidden layers, in blocks: 1, 2, 4, 8 or more
  int neurons;        // of a hidden layer; weights of those beyond are zero
  int input_blocks;   // of the first layer
  int hidden_layers;  // at least one
  LayerActivation activation, output_activation;
};

/// Neurons of the widest hidden layers that fit the registers of a warp.
inline constexpr int kMostFusedNeurons = 128;

/// Whether hidden layers are wider than that.
MOTE_LANE bool is_wide(const NetworkShape& shape) {
  return shape.width_blocks > kMostFusedNeurons / kBlockValues;
}

/// One layer in blocks.
struct LayerBlocks {
  int inputs, outputs;  // in blocks
  int first;            // number of its first block
};

/// Layer 0 has the network's inputs, layer `hidden_layers` its outputs.
MOTE_LANE LayerBlocks layer_blocks(const NetworkShape& shape, int layer) {
  const int width = shape.width_blocks, first = shape.input_blocks * width;
  if (layer == 0) return {shape.input_blocks, width, 0};
  const int outputs = layer == shape.hidden_layers ? 1 : width;
  return {width, outputs, first + (layer - 1) * width * width};
}

/// Number of blocks of all layers.
MOTE_LANE int network_blocks(const NetworkShape& shape) {
  const LayerBlocks last = layer_blocks(shape, shape.hidden_layers);
  return last.first + last.inputs * last.outputs;
}

/// The layer that a block belongs to.
MOTE_LANE int layer_of_block(const NetworkShape& shape, int block) {
  const int width = shape.width_blocks, behind = block - shape.input_blocks * width;
  if (behind < 0) return 0;
  const int layer = 1 + behind / (width * width);
  return layer < shape.hidden_layers ? layer : shape.hidden_layers;
}

/// The input of the layout that the first layer takes at place `k`, if a grid with `features` a
/// level is encoded by the lanes of a warp: lane % 4 = t has the levels t, t + 4, ..., and each
/// level fills as many words of the lane's fragments as it has pairs of features.
MOTE_LANE int lane_order_input(int features, int k) {
  const int pairs = features / 2, word = k / 8, t = k % 8 / 2;
  const int level = word / pairs * 4 + t;
  return level * features + word % pairs * 2 + k % 2;
}

/// Number of blocks that the features of the levels take in this order.
MOTE_LANE int lane_order_blocks(int levels, int features) {
  return ((levels + 3) / 4 * 4 * features + kBlockValues - 1) / kBlockValues;
}

}  // namespace mote::cuda
